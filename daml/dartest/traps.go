package dartest

// Traps is the text of a package whose contracts take all that they can get: steps, memory and depth. A choice of a trap
// never ends, except the choice Count: it reads another trap, counts to a number, and returns it.
const Traps = `metadata ( 'traps' : '1.0.0' )
module T {
  record @serializable Archive = {};
  record @serializable Spring = {};
  record @serializable Count = { other: ContractId T:Trap, number: Int64 };
  record @serializable Trap = { owner: Party };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val loop: Text -> Text = \(t: Text) -> T:loop t;
  val double: Text -> Text = \(t: Text) -> T:double (APPEND_TEXT t t);
  val grow: List Text -> Text = \(l: List Text) -> T:grow (Cons @Text ["a trap"] l);
  val deep: Text -> Text = \(t: Text) -> APPEND_TEXT (T:deep t) t;
  val count: Int64 -> Int64 -> Int64 = \(n: Int64) (m: Int64) ->
    case EQUAL @Int64 n m of True -> n | False -> T:count n (ADD_INT64 m 1);
  template (this: Trap) = {
    precondition True;
    signatories T:one (T:Trap {owner} this);
    observers Nil @Party;
    choice Archive (self) (a: T:Archive): Unit, controllers T:one (T:Trap {owner} this) to upure @Unit ();
    choice @nonConsuming Count (self) (a: T:Count): Int64, controllers T:one (T:Trap {owner} this)
      to ubind other: T:Trap <- fetch_template @T:Trap (T:Count {other} a)
        in upure @Int64 (T:count (T:Count {number} a) 0);
    choice @nonConsuming Loop (self) (a: T:Spring): Text, controllers T:one (T:Trap {owner} this)
      to upure @Text (T:loop "a trap");
    choice @nonConsuming Double (self) (a: T:Spring): Text, controllers T:one (T:Trap {owner} this)
      to upure @Text (T:double "a trap");
    choice @nonConsuming Grow (self) (a: T:Spring): Text, controllers T:one (T:Trap {owner} this)
      to upure @Text (T:grow (Nil @Text));
    choice @nonConsuming Deep (self) (a: T:Spring): Text, controllers T:one (T:Trap {owner} this)
      to upure @Text (T:deep "a trap");
  };
}
`
