// What wallets do that still use an older public wallet SDK, with its names for things: a party whose key it holds is
// onboarded, taps coin, transfers it in two steps and in one, and reads its history. What was done is printed as JSON.
//
// Usage: node coin.mjs PACKAGE URL TOKEN USER
import assert from 'node:assert/strict'

const [name, url, token, user] = process.argv.slice(2)
const {
  LedgerController, TokenStandardController, ValidatorController, WalletSDKImpl, createKeyPair,
  signTransactionHash,
} = await import(name)

const validatorUrl = new URL(`${url}/api/validator`)
const registryUrl = new URL(`${url}/api/validator/v0/scan-proxy`)
const log = () => {}
const logger = {
  log, info: log, debug: log, trace: log, warn: console.error, error: console.error, child: () => logger,
}
const done = { steps: [] }

async function step(what, body) {
  try {
    const result = await body()
    done.steps.push(what)
    return result
  } catch (failure) {
    throw new Error(`${what}: ${failure.stack ?? JSON.stringify(failure)}`)
  }
}

const sdk = new WalletSDKImpl().configure({
  logger,
  authFactory: () => ({
    userId: user, getUserToken: async () => ({ userId: user, accessToken: token }),
    getAdminToken: async () => ({ userId: user, accessToken: token }),
  }),
  ledgerFactory: (userId, provider, isAdmin) => new LedgerController(userId, new URL(url), token, isAdmin, provider),
  tokenStandardFactory: (userId, provider) => new TokenStandardController(
    userId, new URL(url), validatorUrl, token, provider, false, false, new URL(`${url}/api/scan`)),
  validatorFactory: (userId, provider) => new ValidatorController(userId, validatorUrl, provider, false, token),
})
await step('connect', async () => {
  await sdk.connect()
  await sdk.connectAdmin()
  sdk.tokenStandard.setTransferFactoryRegistryUrl(registryUrl)
  const { connectedSynchronizers: [{ synchronizerId }] } = await ask('/v2/state/connected-synchronizers')
  for (const controller of [sdk.userLedger, sdk.adminLedger, sdk.tokenStandard]) {
    controller.setSynchronizerId(synchronizerId)
  }
})

async function ask(path, body) {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET', headers: { Authorization: `Bearer ${token}` }, body: body && JSON.stringify(body),
  })
  const content = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(content))
  return content
}

// allocate onboards a party without the SDK's calls, with its signature.
async function allocate({ publicKey, privateKey }, partyHint) {
  const synchronizer = sdk.userLedger.getSynchronizerId()
  const topology = await ask('/v2/parties/external/generate-topology', {
    synchronizer, partyHint,
    publicKey: { format: 'CRYPTO_KEY_FORMAT_RAW', keyData: publicKey, keySpec: 'SIGNING_KEY_SPEC_EC_CURVE25519' },
  })
  await ask('/v2/parties/external/allocate', {
    synchronizer, identityProviderId: '', userId: user,
    onboardingTransactions: topology.topologyTransactions.map((transaction) => ({ transaction })),
    multiHashSignatures: [{
      format: 'SIGNATURE_FORMAT_CONCAT', signature: signTransactionHash(topology.multiHash, privateKey),
      signedBy: topology.publicKeyFingerprint, signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_ED25519',
    }],
  })
  return topology
}

// onboard makes a party with a new key.
async function onboard(hint) {
  const keys = createKeyPair()
  let party
  try {
    party = await sdk.userLedger.signAndAllocateExternalParty(keys.privateKey, hint)
  } catch (refusal) {
    // Version 0.15 onboards on a node that calls itself 3.3 only; its keys and signatures are good on any.
    if (!/only supported on 3.3 clients/.test(refusal.message)) throw refusal
    party = await allocate(keys, hint)
  }
  assert.match(party.partyId, new RegExp(`^${hint}::1220[0-9a-f]{64}$`))
  return { id: party.partyId, ...keys }
}

// as makes the SDK speak for a party.
const as = (party) => sdk.setPartyId(party.id)

// submit signs commands with the key of a party and waits until they are committed.
async function submit(party, commands, disclosed) {
  await as(party)
  const completion = await sdk.userLedger.prepareSignExecuteAndWaitFor(
    commands, party.privateKey, crypto.randomUUID(), disclosed ?? [])
  assert.equal(completion.status.code, 0, JSON.stringify(completion.status))
  return completion
}

// requireFree checks what a party can spend, in the coin's smallest parts.
async function requireFree(party, amount) {
  await as(party)
  const held = await sdk.tokenStandard.listHoldingUtxos(false)
  const total = held.reduce((sum, { interfaceViewValue: view }) => sum + BigInt(view.amount.replace('.', '')), 0n)
  assert.equal(total, BigInt(amount) * 10n ** 10n)
}

const [alice, bob] = await step('onboard', async () => [await onboard('older-alice'), await onboard('older-bob')])
await as(alice)
const instrument = await step('read the registry', async () => ({
  instrumentId: 'Amulet', instrumentAdmin: await sdk.tokenStandard.getInstrumentAdmin(),
}))

await step('tap', async () => {
  await submit(alice, ...await sdk.tokenStandard.createTap(alice.id, '1000', instrument))
  await requireFree(alice, 1000)
})

// offer transfers in two steps, and returns the id of the instruction that waits for the receiver.
async function offer(amount) {
  await as(alice)
  await submit(alice, ...await sdk.tokenStandard.createTransfer(alice.id, bob.id, amount, instrument, [], 'lunch'))
  await as(bob)
  const waiting = await sdk.tokenStandard.fetchPendingTransferInstructionView()
  assert.equal(waiting.length, 1)
  assert.equal(waiting[0].interfaceViewValue.transfer.receiver, bob.id)
  return waiting[0].contractId
}

for (const [choice, party] of [['Accept', bob], ['Reject', bob], ['Withdraw', alice]]) {
  await step(`${choice} a transfer`, async () => {
    const instruction = await offer('100')
    await as(party)
    await submit(party, ...await sdk.tokenStandard.exerciseTransferInstructionChoice(instruction, choice))
    assert.deepEqual(await sdk.tokenStandard.fetchPendingTransferInstructionView(), [])
    await requireFree(alice, 900)
    await requireFree(bob, 100)
  })
}

await step('create a preapproval', async () => {
  const operator = await sdk.validator.getValidatorUser()
  await sdk.adminLedger.grantRights([operator], [operator])
  await sdk.setPartyId(operator)
  await sdk.tokenStandard.createAndSubmitTapInternal(operator, '500', instrument)
  await as(bob)
  await submit(bob, await sdk.userLedger.createTransferPreapprovalCommand(operator, bob.id, instrument.instrumentAdmin))
  const found = await sdk.tokenStandard.waitForPreapprovalFromScanProxy(bob.id, 'Amulet', { intervalMs: 200 })
  assert.equal(found.dso, instrument.instrumentAdmin)
})
await step('transfer in one step', async () => {
  await as(alice)
  await submit(alice, ...await sdk.tokenStandard.createTransfer(alice.id, bob.id, '10', instrument, []))
  await requireFree(alice, 890)
  await requireFree(bob, 110)
})
await step('read the history', async () => {
  await as(bob)
  const { transactions } = await sdk.tokenStandard.listHoldingTransactions()
  done.history = transactions.map(({ events }) => events.map(({ label }) => label.type))
})

console.log(JSON.stringify({ ...done, alice: alice.id, bob: bob.id }))
