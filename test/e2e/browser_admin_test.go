//go:build long

package e2e_test

import (
	"errors"
	"testing"
)

// anOperatorSeesAndChangesTheNode: the node's health and its figures are live and drawn; who may act as whom is found,
// given and taken away.
func anOperatorSeesAndChangesTheNode(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rules := axe(t)
	lena := browser.window(t, n.url).open("/").shows("All parts are well.").as("lena")
	lena.tap("10").press("Operate").shows("All parts are well.", "Submissions", "Development node")
	lena.eventually("the figures are drawn", func() error { // after two live answers
		charts, err := ask[int](lena, "() => document.querySelectorAll('#charts svg path').length")
		if err == nil && charts == 0 {
			err = errors.New("there is no chart")
		}
		return err
	})
	lena.isAccessible(rules, "the health of the node")
	lena.picture("health").press("Users").shows("This needs the right ParticipantAdmin")
	lena.isAccessible(rules, "a missing right")

	admin := browser.window(t, n.url).as(adminUser).press("Operate").press("Users").shows("Users and rights")
	admin.types("Who may act or read as", "lena").press("Show").shows("All users", "lena acts as lena")
	admin.open("/admin/users/lena").shows("Give a right").types("Party", "lena").press("Give").shows("lena now acts as lena.")
	admin.isAccessible(rules, "a user")
	for path, words := range map[string]string{
		"/admin/users": "Add a user", "/admin/parties": "Add a party", "/admin/providers": "Add an identity provider",
		"/admin/packages": "Upload packages", "/admin/settings": "History of settings", "/admin/clock": "Ledger time",
		"/admin/audit": "Every coin comes from a recorded mint", "/admin/automation": "Workflows that wait",
		"/admin/history": "grant right lena",
	} {
		admin.open(path).shows(words)
		admin.isAccessible(rules, path)
	}
}
