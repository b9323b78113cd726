package coin

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Packages returns the packages of the coin with the names, versions and ids that upstream published. A package has the
// ids of its older versions too: later versions only add optional fields and choices.
func Packages() []ledger.Package {
	return []ledger.Package{
		{
			Name: "splice-amulet", Version: "0.1.22",
			ID: "fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a",
			OtherIDs: []lf.PackageID{
				"6c5802f86709a0ad4784af81f0bab40f3070b2f58128d8843da1e1784c147802", // 0.1.17
				"a31be0483f3175647053f28965a4e6d97e3dbc433ea2338be303fae69bbcff6a", // 0.1.18
				"90987abecbcb1d004b063ddfe3b4b5d46cf3814ce89114a86c8cd75ff3cb8a4b", // 0.1.19
				"23f47481dab6b1ec01339d6e14494d85bb2844c25f45b26fc5c9ef4cd4942d1f", // 0.1.20
				"73e9ffdb6b0bc19a5f67372b118103926da11547ab9109eccae47e4e4cc35d6f", // 0.1.21
			},
			Templates: templates(),
		},
		{
			Name: "splice-api-token-metadata-v1", Version: "1.0.0",
			ID:         "4ded6b668cb3b64f7a88a30874cd41c75829f5e064b3fbbadf41ec7e8363354f",
			Interfaces: token.MetadataInterfaces(),
		},
		{
			Name: "splice-api-token-holding-v1", Version: "1.0.0",
			ID:         "718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b",
			Interfaces: token.HoldingInterfaces(),
		},
		{
			Name: "splice-api-token-transfer-instruction-v1", Version: "1.0.0",
			ID:         "55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281",
			Interfaces: token.TransferInstructionInterfaces(),
		},
		{
			Name: "splice-api-token-allocation-v1", Version: "1.0.0",
			ID:         "93c942ae2b4c2ba674fb152fe38473c507bda4e82b4e4c5da55a552a9d8cce1d",
			Interfaces: token.AllocationInterfaces(),
		},
		{
			Name: "splice-api-token-allocation-instruction-v1", Version: "1.0.0",
			ID:         "275064aacfe99cea72ee0c80563936129563776f67415ef9f13e4297eecbc520",
			Interfaces: token.AllocationInstructionInterfaces(),
		},
		{
			Name: "splice-api-token-allocation-request-v1", Version: "1.0.0",
			ID:         "6fe848530b2404017c4a12874c956ad7d5c8a419ee9b040f96b5c13172d2e193",
			Interfaces: token.AllocationRequestInterfaces(),
		},
		{
			Name: "splice-api-token-burn-mint-v1", Version: "1.0.0",
			ID:         "9cc2cbc838ef38dc2c7f34014c9c452bcf71b8e2a4f939235fc0b5d0924b185e",
			Interfaces: token.BurnMintInterfaces(),
		},
		{
			Name: "splice-api-featured-app-v1", Version: "1.0.0",
			ID:         "7804375fe5e4c6d5afe067bd314c42fe0b7d005a1300019c73154dd939da4dda",
			Interfaces: featuredAppV1Interfaces(),
		},
		{
			Name: "splice-api-featured-app-v2", Version: "1.0.0",
			ID:         "dd22e3e168a8c7fd0313171922dabf1f7a3b131bd9bfc9ff98e606f8c57707ea",
			Interfaces: featuredAppV2Interfaces(),
		},
		{
			Name: "splice-api-reward-assignment-v1", Version: "1.0.0",
			ID:         "6f7b72361bc2039369651b4195315a2a5849babafec67b3c96e66ea6e560ec35",
			Interfaces: rewardAssignmentInterfaces(),
		},
	}
}

// LocalPackageID is the id of a built-in package without a known published id: the SHA-256 of "florin package NAME
// VERSION" in hexadecimal.
func LocalPackageID(name, version string) lf.PackageID {
	hash := sha256.Sum256([]byte("florin package " + name + " " + version))
	return lf.PackageID(hex.EncodeToString(hash[:]))
}

func templates() []ledger.TemplateSource {
	return []ledger.TemplateSource{
		amuletTemplate(),
		lockedAmuletTemplate(),
		validatorRightTemplate(),
		featuredAppRightTemplate(),
		featuredAppActivityMarkerTemplate(),
		appRewardCouponTemplate(),
		rewardCouponV2Template(),
		validatorRewardCouponTemplate(),
		svRewardCouponTemplate(),
		unclaimedRewardTemplate(),
		unclaimedActivityRecordTemplate(),
		unclaimedDevelopmentFundCouponTemplate(),
		developmentFundCouponTemplate(),
		validatorLicenseTemplate(),
		validatorLivenessActivityRecordTemplate(),
		validatorFaucetCouponTemplate(),
		amuletRulesTemplate(),
		externalPartySetupProposalTemplate(),
		transferPreapprovalTemplate(),
		memberTrafficTemplate(),
		calculateRewardsV2Template(),
		processRewardsV2Template(),
		openMiningRoundTemplate(),
		summarizingMiningRoundTemplate(),
		issuingMiningRoundTemplate(),
		closedMiningRoundTemplate(),
		externalPartyConfigStateTemplate(),
		externalPartyAmuletRulesTemplate(),
		transferCommandTemplate(),
		transferCommandCounterTemplate(),
		amuletTransferInstructionTemplate(),
		amuletAllocationTemplate(),
	}
}
