// Two parties swap 10 coin against 20 through the trading app, settled by a venue. With the argument "external" the keys
// of the two stay in this script; without it they are the users alice and bob of `florin up --demo`.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

const url = process.env.FLORIN_URL ?? 'http://127.0.0.1:7575', admin = 'ledger-api-user'
const tokens = {}
const tokenOf = (user) => tokens[user] ??= execFileSync('florin', ['token', '--user', user], { encoding: 'utf8' }).trim()
const call = async (user, path, body) => {
  const answer = await fetch(url + path, { method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
    headers: { Authorization: `Bearer ${tokenOf(user)}`, 'Content-Type': 'application/json' } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${text}`)
  return JSON.parse(text)
}
const app = '#splice-token-test-trading-app:Splice.Testing.Apps.TradingApp'
const standard = '#splice-api-token-allocation'
const empty = { values: {} }, inHours = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString()

// walletParty is a party of the node: its user submits for it.
const walletParty = async (user) => {
  const { party_id: id } = await call(user, '/v0/wallet/user-status')
  return { id, user, submit: async (command, disclosedContracts = []) => (await call(user,
    '/v2/commands/submit-and-wait-for-transaction', { commands: { commandId: randomUUID(), actAs: [id],
      commands: [command], disclosedContracts } })).transaction }
}

// externalParty is a party that signs each transaction with its own key.
const externalParty = async (partyHint) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { connectedSynchronizers: [{ synchronizerId: synchronizer }] } = await call(admin, '/v2/state/connected-synchronizers')
  const { partyId: id, publicKeyFingerprint: signedBy, multiHash, topologyTransactions } = await call(admin,
    '/v2/parties/external/generate-topology', { synchronizer, partyHint, publicKey: { keySpec: 'SIGNING_KEY_SPEC_EC_CURVE25519',
      format: 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO',
      keyData: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') } })
  const signature = (hash) => ({ format: 'SIGNATURE_FORMAT_CONCAT', signedBy, signingAlgorithmSpec:
    'SIGNING_ALGORITHM_SPEC_ED25519', signature: sign(null, Buffer.from(hash, 'base64'), privateKey).toString('base64') })
  await call(admin, '/v2/parties/external/allocate', { synchronizer, userId: admin, multiHashSignatures: [signature(multiHash)],
    onboardingTransactions: topologyTransactions.map((transaction) => ({ transaction })) })
  return { id, user: admin, submit: async (command, disclosedContracts = []) => {
    const prepared = await call(admin, '/v2/interactive-submission/prepare', { commandId: randomUUID(), actAs: [id],
      commands: [command], disclosedContracts })
    return (await call(admin, '/v2/interactive-submission/executeAndWaitForTransaction', { submissionId: randomUUID(),
      preparedTransaction: prepared.preparedTransaction, hashingSchemeVersion: prepared.hashingSchemeVersion,
      deduplicationPeriod: { Empty: {} }, partySignatures: { signatures: [{ party: id,
        signatures: [signature(prepared.preparedTransactionHash)] }] } })).transaction
  } }
}

const create = (templateId, createArguments) => ({ CreateCommand: { templateId, createArguments } })
const exercise = (templateId, contractId, choice, choiceArgument) => ({ ExerciseCommand: { templateId, contractId, choice,
  choiceArgument } })
const created = (transaction, entity) => transaction.events.find(({ CreatedEvent: event }) =>
  event?.templateId.endsWith(entity)).CreatedEvent.contractId
const active = async ({ user, id }, identifierFilter) => (await call(user, '/v2/state/active-contracts', { activeAtOffset:
  (await call(user, '/v2/state/ledger-end')).offset, eventFormat: { verbose: true, filtersByParty: { [id]: { cumulative:
    [{ identifierFilter }] } } } })).map((found) => found.contractEntry.JsActiveContract.createdEvent)
const holdings = (party) => active(party, { TemplateFilter: { value: { templateId: '#splice-amulet:Splice.Amulet:Amulet' } } })

// tap gets test coin for an external party, which signs for it.
const tap = async (party) => {
  const { amulet_rules: { contract: rules } } = await call(admin, '/v0/scan-proxy/amulet-rules')
  const { open_mining_rounds: [{ contract: round }] } = await call(admin, '/v0/scan-proxy/open-and-issuing-mining-rounds')
  await party.submit(exercise('#splice-amulet:Splice.AmuletRules:AmuletRules', rules.contract_id, 'AmuletRules_DevNet_Tap',
    { receiver: party.id, amount: '100.0', openRound: round.contract_id }),
  [rules, round].map((shared) => ({ contractId: shared.contract_id, createdEventBlob: shared.created_event_blob })))
}

const parties = process.argv[2] === 'external' ? await Promise.all(['carl', 'dora'].map(externalParty)) :
  await Promise.all(['alice', 'bob'].map(walletParty))
const isExternal = parties[0].user === admin, [first, second] = parties, venue = await walletParty('venue')
if (isExternal) for (const party of parties) await tap(party)
const { dso_party_id: dso } = await call(admin, '/v0/scan-proxy/dso-party-id')

// 1. The first party proposes the trade, and the second one accepts it.
const leg = (sender, receiver, amount) => ({ sender: sender.id, receiver: receiver.id, amount,
  instrumentId: { admin: dso, id: 'Amulet' }, meta: empty })
const proposal = created(await first.submit(create(`${app}:OTCTradeProposal`, { venue: venue.id, tradeCid: null,
  transferLegs: { leg0: leg(first, second, '10.0'), leg1: leg(second, first, '20.0') }, approvers: [first.id] })), ':OTCTradeProposal')
const accepted = created(await second.submit(exercise(`${app}:OTCTradeProposal`, proposal, 'OTCTradeProposal_Accept',
  { approver: second.id })), ':OTCTradeProposal')

// 2. The venue starts the settlement. The trade asks both parties to set coin aside.
const trade = created(await venue.submit(exercise(`${app}:OTCTradeProposal`, accepted, 'OTCTradeProposal_InitiateSettlement',
  { prepareUntil: inHours(1), settleBefore: inHours(2) })), ':OTCTrade')
const requests = await active(venue, { InterfaceFilter: { value: { includeInterfaceView: true,
  interfaceId: `${standard}-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest` } } })
const request = requests.find((found) => found.contractId === trade).interfaceViews[0].viewValue

// 3. A user of a wallet sets the coin of its leg aside: what the button of the page does.
const micros = (time) => Math.floor(Date.parse(time) / 1000) * 1_000_000 +
  Number((time.match(/\.(\d+)/)?.[1] ?? '').padEnd(6, '0'))
const allocateInWallet = async (party, id) => {
  const { settlement, transferLegs: { [id]: { receiver, amount } } } = request
  return (await call(party.user, '/v0/allocations', { transfer_leg_id: id, transfer_leg: { receiver, amount, meta: {} },
    settlement: { executor: settlement.executor, settlement_ref: settlement.settlementRef, meta: {},
      requested_at: micros(settlement.requestedAt), allocate_before: micros(settlement.allocateBefore),
      settle_before: micros(settlement.settleBefore) } })).output.allocation_cid
}

// An external party signs the choice of the allocation factory. The registry of the coin names the factory and its context.
const allocateByKey = async (party, id) => {
  const argument = { expectedAdmin: dso, requestedAt: new Date(Date.now() - 1000).toISOString(), extraArgs: { context: empty,
    meta: empty }, allocation: { settlement: request.settlement, transferLegId: id, transferLeg: request.transferLegs[id] },
    inputHoldingCids: (await holdings(party)).map((holding) => holding.contractId) }
  const { factoryId, choiceContext } = await call(admin, '/registry/allocation-instruction/v1/allocation-factory',
    { choiceArguments: argument, excludeDebugFields: true })
  argument.extraArgs.context = choiceContext.choiceContextData
  return created(await party.submit(exercise(`${standard}-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory`,
    factoryId, 'AllocationFactory_Allocate', argument), choiceContext.disclosedContracts), ':AmuletAllocation')
}
const allocate = isExternal ? allocateByKey : allocateInWallet
const allocations = { leg0: await allocate(first, 'leg0'), leg1: await allocate(second, 'leg1') }

// 4. The venue settles: both legs move in one transaction, or none.
const disclosed = {}, allocationsWithContext = {}
for (const [id, allocation] of Object.entries(allocations)) {
  const { choiceContextData: context, disclosedContracts } = await call(admin,
    `/registry/allocations/v1/${allocation}/choice-contexts/execute-transfer`, {})
  allocationsWithContext[id] = { _1: allocation, _2: { context, meta: empty } }
  for (const contract of disclosedContracts) disclosed[contract.contractId] = contract
}
await venue.submit(exercise(`${app}:OTCTrade`, trade, 'OTCTrade_Settle', { allocationsWithContext }), Object.values(disclosed))
console.log(`settled: ${first.id.split('::')[0]} paid 10 and got 20`)
