package dartest

import "strings"

// Faces is the text of a package with an interface whose view is a text.
const Faces = `metadata ( 'faces' : '1.0.0' )
module F {
  record @serializable View = { text: Text };
  interface (this: Face) = { viewtype F:View; };
}
`

// Masks returns the text of a package with a template that implements the interface of a package of [Faces]. The
// expression view is the text of its view: M:endless does not end, and M:ten makes a text ten times as long. Anybody who
// knows a mask may look at it.
func Masks(name string, faces Package, view string) string {
	return strings.NewReplacer("$name", name, "$face", "'"+string(faces.ID)+"':F", "$text", view).Replace(masks)
}

const masks = `metadata ( '$name' : '1.0.0' )
module M {
  record @serializable Archive = {};
  record @serializable Look = { viewer: Party };
  record @serializable Mask = { owner: Party, text: Text };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val none: List Party = Nil @Party;
  val endless: Text -> Text = \(t: Text) -> M:endless t;
  val ten: Text -> Text = \(a: Text) -> let b: Text = APPEND_TEXT a a in let c: Text = APPEND_TEXT b b in
    let d: Text = APPEND_TEXT c c in APPEND_TEXT d (APPEND_TEXT a a);
  template (this: Mask) = {
    precondition True;
    signatories M:one (M:Mask {owner} this);
    observers M:none;
    choice Archive (self) (a: M:Archive): Unit, controllers M:one (M:Mask {owner} this) to upure @Unit ();
    choice @nonConsuming Look (self) (a: M:Look): Text, controllers M:one (M:Look {viewer} a)
      to upure @Text (M:Mask {text} this);
    choice @nonConsuming Forget (self) (a: M:Look): Optional Text, controllers M:one (M:Look {viewer} a)
      to upure @(Optional Text) (None @Text);
    implements $face:Face { view = $face:View { text = $text }; };
  };
}
`
