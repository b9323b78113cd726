package fault

// Codes of the administration of users, parties, identity providers and packages.
var (
	// UserNotFound: no user has this id.
	UserNotFound = Code{
		"USER_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfUsers,
		"Check the user id, or create the user first.",
	}
	// UserAlreadyExists: a user of this id exists already.
	UserAlreadyExists = Code{
		"USER_ALREADY_EXISTS", InvalidGivenCurrentSystemStateResourceExists, OfUsers,
		"Use the existing user, or another id.",
	}
	// TooManyUserRights: a user would have more than 1000 rights.
	TooManyUserRights = Code{
		"TOO_MANY_USER_RIGHTS", InvalidGivenCurrentSystemStateOther, OfUsers,
		"Revoke rights that the user does not need, or create another user.",
	}
	// ConcurrentUserUpdateDetected: a user changed after the client read the given resource version.
	ConcurrentUserUpdateDetected = Code{
		"CONCURRENT_USER_UPDATE_DETECTED", ContentionOnSharedResources, OfUsers,
		"Read the user again and repeat the change on the new version.",
	}
	// InvalidUserUpdateRequest: the mask of a user update is invalid.
	InvalidUserUpdateRequest = Code{
		"INVALID_USER_UPDATE_REQUEST", InvalidIndependentOfSystemState, OfRequest,
		"Name only fields of a user that can change, and each only once.",
	}
	// MaxUserAnnotationsSizeExceeded: a user's annotations would be too large.
	MaxUserAnnotationsSizeExceeded = Code{
		"MAX_USER_ANNOTATIONS_SIZE_EXCEEDED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Remove or shorten annotations.",
	}
	// PartyNotFound: a party is not known to this node.
	PartyNotFound = Code{
		"PARTY_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfUsers,
		"Check the party id, or allocate the party first.",
	}
	// InvalidPartyDetailsUpdateRequest: the mask of a party update is invalid, or the change is forbidden.
	InvalidPartyDetailsUpdateRequest = Code{
		"INVALID_PARTY_DETAILS_UPDATE_REQUEST", InvalidIndependentOfSystemState, OfRequest,
		"Name only fields of a party that can change, and each only once.",
	}
	// ConcurrentPartyDetailsUpdateDetected: a party changed after the client read the given resource version.
	ConcurrentPartyDetailsUpdateDetected = Code{
		"CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED", ContentionOnSharedResources, OfUsers,
		"Read the party again and repeat the change on the new version.",
	}
	// MaxPartyDetailsAnnotationsSizeExceeded: a party's annotations would be too large.
	MaxPartyDetailsAnnotationsSizeExceeded = Code{
		"MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Remove or shorten annotations.",
	}
	// IDPConfigNotFound: no identity provider has this id.
	IDPConfigNotFound = Code{
		"IDP_CONFIG_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfUsers,
		"Check the id, or create the identity provider first.",
	}
	// IDPConfigAlreadyExists: an identity provider of this id exists already.
	IDPConfigAlreadyExists = Code{
		"IDP_CONFIG_ALREADY_EXISTS", InvalidGivenCurrentSystemStateResourceExists, OfUsers,
		"Use the existing identity provider, or another id.",
	}
	// IDPConfigIssuerAlreadyExists: an identity provider of this issuer exists already.
	IDPConfigIssuerAlreadyExists = Code{
		"IDP_CONFIG_ISSUER_ALREADY_EXISTS", InvalidGivenCurrentSystemStateResourceExists, OfUsers,
		"Use the existing identity provider, or another issuer.",
	}
	// TooManyIdentityProviderConfigs: there would be more than 16 identity providers.
	TooManyIdentityProviderConfigs = Code{
		"TOO_MANY_IDENTITY_PROVIDER_CONFIGS", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Delete an identity provider that you do not need.",
	}
	// InvalidIdentityProviderUpdateRequest: the mask of an identity provider update is invalid.
	InvalidIdentityProviderUpdateRequest = Code{
		"INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST", InvalidIndependentOfSystemState, OfRequest,
		"Name only fields of an identity provider that can change, and each only once.",
	}
	// DARParseError: an uploaded archive cannot be parsed.
	DARParseError = Code{
		"DAR_PARSE_ERROR", InvalidIndependentOfSystemState, OfRequest,
		"Build the archive again and upload it unchanged.",
	}
	// InvalidDAR: an uploaded archive is damaged or incomplete.
	InvalidDAR = Code{
		"INVALID_DAR", InvalidIndependentOfSystemState, OfRequest,
		"Build the archive again and upload it unchanged.",
	}
	// ZipBomb: an uploaded archive is too large when unpacked.
	ZipBomb = Code{
		"ZIP_BOMB", InvalidIndependentOfSystemState, OfRequest,
		"Upload a smaller archive.",
	}
	// DARValidationError: a package of an uploaded archive is not valid.
	DARValidationError = Code{
		"DAR_VALIDATION_ERROR", InvalidIndependentOfSystemState, OfRequest,
		"Read the cause, correct the package and build it again.",
	}
	// NotValidUpgradePackage: a package is not a valid upgrade of its earlier version.
	NotValidUpgradePackage = Code{
		"NOT_VALID_UPGRADE_PACKAGE", InvalidIndependentOfSystemState, OfRequest,
		"Read the cause and make the new version compatible.",
	}
	// KnownPackageVersion: a different package of the same name and version exists.
	KnownPackageVersion = Code{
		"KNOWN_PACKAGE_VERSION", InvalidIndependentOfSystemState, OfRequest,
		"Raise the version of the package and build it again.",
	}
	// UnresolvedVettingReference: a vetting change refers to no known package.
	UnresolvedVettingReference = Code{
		"UNRESOLVED_VETTING_REFERENCE", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Upload the package first, or correct the reference.",
	}
	// AmbiguousVettingReference: a vetting change refers to several packages.
	AmbiguousVettingReference = Code{
		"AMBIGUOUS_VETTING_REFERENCE", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Name the package by its id.",
	}
	// TopologySerialMismatch: the serial of a change does not match the current topology.
	TopologySerialMismatch = Code{
		"TOPOLOGY_SERIAL_MISMATCH", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Read the current state, such as the vetted packages, and repeat the change with its serial.",
	}
	// TopologyInvalidTxSignature: a signature of a topology transaction does not verify with its key.
	TopologyInvalidTxSignature = Code{
		"TOPOLOGY_INVALID_TX_SIGNATURE", InvalidIndependentOfSystemState, OfRequest,
		"Sign the hash that the hint of the error names.",
	}
	// TopologyUnauthorizedTransaction: a topology transaction lacks required signatures.
	TopologyUnauthorizedTransaction = Code{
		"TOPOLOGY_UNAUTHORIZED_TRANSACTION", InvalidIndependentOfSystemState, OfRequest,
		"Add the signatures that the cause names.",
	}
	// TopologyInvalidMapping: a topology transaction contradicts itself or another of its request.
	TopologyInvalidMapping = Code{
		"TOPOLOGY_INVALID_MAPPING", InvalidIndependentOfSystemState, OfRequest,
		"Correct the field that the cause names, and sign the transaction again.",
	}
	// ClockNotSimulated: the ledger's clock is real time, so nobody can advance it.
	ClockNotSimulated = Code{
		"CLOCK_NOT_SIMULATED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Advance the clock of a development node only: one started with `florin up --clock simulated`.",
	}
)

var adminCodes = []Code{
	UserNotFound, UserAlreadyExists, TooManyUserRights, ConcurrentUserUpdateDetected, InvalidUserUpdateRequest,
	MaxUserAnnotationsSizeExceeded, PartyNotFound, InvalidPartyDetailsUpdateRequest,
	ConcurrentPartyDetailsUpdateDetected, MaxPartyDetailsAnnotationsSizeExceeded, IDPConfigNotFound,
	IDPConfigAlreadyExists, IDPConfigIssuerAlreadyExists, TooManyIdentityProviderConfigs,
	InvalidIdentityProviderUpdateRequest, DARParseError, InvalidDAR, ZipBomb, DARValidationError,
	NotValidUpgradePackage, KnownPackageVersion, UnresolvedVettingReference, AmbiguousVettingReference,
	TopologySerialMismatch, TopologyInvalidTxSignature, TopologyUnauthorizedTransaction,
	TopologyInvalidMapping, ClockNotSimulated,
}
