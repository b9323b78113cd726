// Package asttest reads packages in the text form of Daml-LF, for tests. Upstream's test files use this form, and small
// packages are quick to write.
//
//	module M {
//	  record @serializable Person = { name: Text };
//	  val greet: M:Person -> Text = \(p: M:Person) -> APPEND_TEXT "hello " (M:Person {name} p);
//	}
//
// It checks only the form of the text.
package asttest
