// Package asttest reads packages in the text form of Daml-LF, for tests: upstream's test files are in it, and small
// packages are quickly written.
//
//	module M {
//	  record @serializable Person = { name: Text };
//	  val greet: M:Person -> Text = \(p: M:Person) -> APPEND_TEXT "hello " (M:Person {name} p);
//	}
//
// What is written is not checked beyond its form.
package asttest
