package fault

// Codes of bringing an interpreted command to a synchronizer, up to sequencing.
var (
	// NoSynchronizerOnWhichAllSubmittersCanSubmit: a submitter is not hosted here with the right to submit.
	NoSynchronizerOnWhichAllSubmittersCanSubmit = Code{
		"NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Submit on a node that hosts all acting parties, or allocate them on this node.",
	}
	// UnknownInformees: the topology does not know an informee.
	UnknownInformees = Code{
		"UNKNOWN_INFORMEES", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Allocate the party first, or correct its name in the command.",
	}
	// NotConnectedToSynchronizer: the node is not connected to the synchronizer.
	NotConnectedToSynchronizer = Code{
		"NOT_CONNECTED_TO_SYNCHRONIZER", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Use a synchronizer that this node is connected to.",
	}
	// SequencerNotEnoughTrafficCredit: the node does not have enough traffic left.
	SequencerNotEnoughTrafficCredit = Code{
		"SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Buy traffic for this node, then send the command again.",
	}
)

var routingCodes = []Code{
	NoSynchronizerOnWhichAllSubmittersCanSubmit, UnknownInformees, NotConnectedToSynchronizer,
	SequencerNotEnoughTrafficCredit,
}
