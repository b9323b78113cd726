package coin

import "github.com/florinledger/florin/ledger"

// ValidatorRight lets a validator mint the validator rewards that a user's activity earns.
type ValidatorRight struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRight"`
	// DSO is no stakeholder.
	DSO       Party `lf:"dso"`
	User      Party `lf:"user"`
	Validator Party `lf:"validator"`
}

// ValidatorRightArchiveAsValidator ends the right; the validator decides.
type ValidatorRightArchiveAsValidator struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRight_ArchiveAsValidator"`
}

// ValidatorRightArchiveAsValidatorResult is the result of [ValidatorRightArchiveAsValidator].
type ValidatorRightArchiveAsValidatorResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRight_ArchiveAsValidatorResult"`
}

// ValidatorRightArchiveAsUser ends the right; the user decides.
type ValidatorRightArchiveAsUser struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRight_ArchiveAsUser"`
}

// ValidatorRightArchiveAsUserResult is the result of [ValidatorRightArchiveAsUser].
type ValidatorRightArchiveAsUserResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:ValidatorRight_ArchiveAsUserResult"`
}

func validatorRightTemplate() ledger.TemplateSource {
	return ledger.Template[ValidatorRight]{
		Network:     ledger.DSONamed(func(r ValidatorRight) Party { return r.DSO }),
		Signatories: func(r ValidatorRight) []Party { return []Party{r.User, r.Validator} },
		Choices: []ledger.ChoiceOf[ValidatorRight]{
			ledger.Choice[ValidatorRight, ValidatorRightArchiveAsValidator, ValidatorRightArchiveAsValidatorResult]{
				Consuming: true,
				Controllers: func(r ValidatorRight, _ ValidatorRightArchiveAsValidator) []Party {
					return []Party{r.Validator}
				},
				Body: justArchive[
					ValidatorRight, ValidatorRightArchiveAsValidator, ValidatorRightArchiveAsValidatorResult],
			},
			ledger.Choice[ValidatorRight, ValidatorRightArchiveAsUser, ValidatorRightArchiveAsUserResult]{
				Consuming:   true,
				Controllers: func(r ValidatorRight, _ ValidatorRightArchiveAsUser) []Party { return []Party{r.User} },
				Body:        justArchive[ValidatorRight, ValidatorRightArchiveAsUser, ValidatorRightArchiveAsUserResult],
			},
		},
	}
}
