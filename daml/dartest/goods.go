package dartest

// Goods is the text of a package with goods that their owners move, at once or after they have counted to a number, and
// with deals that swap goods for a price in one transaction.
const Goods = `metadata ( 'goods' : '1.0.0' )
module G {
  record @serializable Archive = {};
  record @serializable Move = { to: Party };
  record @serializable MoveSlowly = { to: Party, number: Int64 };
  record @serializable Good = { issuer: Party, owner: Party, quantity: Int64 };
  record @serializable Deal = { seller: Party, buyer: Party };
  record @serializable Settle = { good: ContractId G:Good, price: ContractId G:Good };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val two: Party -> Party -> List Party = \(p: Party) (q: Party) -> Cons @Party [p, q] (Nil @Party);
  val count: Int64 -> Int64 -> Int64 = \(n: Int64) (m: Int64) ->
    case LESS_EQ @Int64 n m of True -> n | False -> G:count n (ADD_INT64 m 1);
  template (this: Good) = {
    precondition LESS @Int64 0 (G:Good {quantity} this);
    signatories G:one (G:Good {issuer} this);
    observers G:one (G:Good {owner} this);
    choice Archive (self) (a: G:Archive): Unit, controllers G:one (G:Good {issuer} this) to upure @Unit ();
    choice Move (self) (a: G:Move): ContractId G:Good, controllers G:one (G:Good {owner} this)
      to create @G:Good (G:Good {
        issuer = G:Good {issuer} this, owner = G:Move {to} a, quantity = G:Good {quantity} this });
    choice MoveSlowly (self) (a: G:MoveSlowly): ContractId G:Good, controllers G:one (G:Good {owner} this)
      to let counted: Int64 = G:count (G:MoveSlowly {number} a) 0 in create @G:Good (G:Good {
        issuer = G:Good {issuer} this, owner = G:MoveSlowly {to} a, quantity = G:Good {quantity} this });
  };
  template (this: Deal) = {
    precondition True;
    signatories G:two (G:Deal {seller} this) (G:Deal {buyer} this);
    observers Nil @Party;
    choice Archive (self) (a: G:Archive): Unit,
      controllers G:two (G:Deal {seller} this) (G:Deal {buyer} this) to upure @Unit ();
    choice Settle (self) (a: G:Settle): ContractId G:Good, controllers G:one (G:Deal {buyer} this)
      to ubind paid: ContractId G:Good <-
          exercise @G:Good Move (G:Settle {price} a) (G:Move { to = G:Deal {seller} this })
        in exercise @G:Good Move (G:Settle {good} a) (G:Move { to = G:Deal {buyer} this });
  };
}
`
