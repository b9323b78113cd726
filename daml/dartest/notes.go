package dartest

import "strings"

// Notes returns the text of a package with this name: notes that an owner writes for a reader, and shares. Added has
// more fields of a note, such as ", mood: Optional Text".
func Notes(name, version, added string) string {
	filled := ""
	if added != "" {
		field := strings.TrimSpace(strings.TrimPrefix(added, ","))
		label, _, _ := strings.Cut(field, ":")
		filled = ", " + label + " = N:Note {" + label + "} this"
	}
	return strings.NewReplacer("$name", name, "$version", version, "$added", added, "$filled", filled).Replace(notes)
}

const notes = `metadata ( '$name' : '$version' )
module N {
  record @serializable Archive = {};
  record @serializable Share = { reader: Party };
  record @serializable Note = { owner: Party, reader: Party, text: Text$added };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  template (this: Note) = {
    precondition True;
    signatories N:one (N:Note {owner} this);
    observers N:one (N:Note {reader} this);
    choice Archive (self) (a: N:Archive): Unit, controllers N:one (N:Note {owner} this) to upure @Unit ();
    choice Share (self) (a: N:Share): ContractId N:Note, controllers N:one (N:Note {owner} this)
      to create @N:Note (N:Note {
        owner = N:Note {owner} this, reader = N:Share {reader} a, text = APPEND_TEXT (N:Note {text} this) "+"$filled });
  };
}
`
