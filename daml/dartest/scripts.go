package dartest

import (
	"strings"
)

// Scripts makes a DAR file: a package of notes with scripts, and the parts of the script library that they need.
// Setup:init allocates a party with exactly this name, and returns its id. Setup:named takes the name as its argument.
// Setup:fails fails.
func Scripts(tb TB, name, version, party string) []byte {
	tb.Helper()
	library := Compile(tb, scriptLibrary)
	source := strings.NewReplacer("LL", "'"+string(library.ID)+"':Daml.Script.Internal.LowLevel", "$party", party).
		Replace(scripts)
	return DAR(tb, Compile(tb, Notes(name, version, "")+source), library)
}

const scriptLibrary = `metadata ( 'daml-script' : '0.0.1' )
module Daml.Script.Internal.LowLevel {
  record Allocate = { requestedName: Text, idHint: Text };
  record Question = { commandName: Text, commandVersion: Int64, payload: Daml.Script.Internal.LowLevel:Allocate,
    locations: List Text, continue: Party -> Daml.Script.Internal.LowLevel:Free };
  record Asked = { unpack: Daml.Script.Internal.LowLevel:Question };
  record Done = { _1: Text };
  variant Free = Pure: Daml.Script.Internal.LowLevel:Done | Free: Daml.Script.Internal.LowLevel:Asked;
  record Script (a: *) = { runScript: Unit -> Daml.Script.Internal.LowLevel:Free };
}
`

const scripts = `module Setup {
  val named: Text -> LL:Script Text = \(name: Text) -> LL:Script @Text { runScript = \(u: Unit) -> LL:Free:Free
    (LL:Asked { unpack = LL:Question { commandName = "AllocateParty", commandVersion = 2,
      payload = LL:Allocate { requestedName = "", idHint = name }, locations = Nil @Text,
      continue = \(p: Party) -> LL:Free:Pure (LL:Done { _1 = PARTY_TO_TEXT p }) } }) };
  val init: LL:Script Text = Setup:named "$party";
  val fails: LL:Script Text = LL:Script @Text { runScript = \(u: Unit) -> ERROR @LL:Free "no luck" };
}
`
