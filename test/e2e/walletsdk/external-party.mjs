// A party whose key is held by the public wallet SDK is onboarded, mints coin and pays with it. Every hash that is signed
// is computed anew by the SDK, and must be the one that the node gave. What was done is printed as JSON.
//
// Usage: node external-party.mjs URL TOKEN DSO
import assert from 'node:assert/strict'
import { signTransactionHash } from '@canton-network/wallet-sdk'
import { connect, onboard } from './sdk.mjs'

const [url, token, dso] = process.argv.slice(2)
const done = { hashes: [] }

const sdk = await connect(url, token)

// contracts reads the active contracts of a template that a party sees.
async function contracts(party, entity) {
  return sdk.ledger.acs.read({
    templateIds: [`#splice-amulet:Splice.${entity}`], parties: [party], filterByParty: true,
  })
}

const disclosed = (contract) => ({
  contractId: contract.contractId, templateId: contract.templateId, synchronizerId: contract.synchronizerId,
  createdEventBlob: contract.createdEventBlob,
})

// verified returns a prepared transaction if the SDK finds the hash that the node found.
async function verified(response) {
  const hash = await sdk.utils.hash.preparedTransaction(response.preparedTransaction)
  assert.equal(hash.toBase64(), response.preparedTransactionHash)
  done.hashes.push(hash.toHex())
  return response
}

async function post(path, body) {
  const answer = await fetch(url + path, {
    method: 'POST', headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(body),
  })
  const content = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(content))
  return content
}

const alice = await onboard(sdk, 'sdk-alice')
const bob = await onboard(sdk, 'sdk-bob')

const [rules] = await contracts(dso, 'AmuletRules:AmuletRules')
const rounds = await contracts(dso, 'Round:OpenMiningRound')
const round = rounds.find((open) => Date.parse(open.createArgument.opensAt) <= Date.now())
const onRules = (choice, choiceArgument) => ({
  ExerciseCommand: { templateId: '#splice-amulet:Splice.AmuletRules:AmuletRules', contractId: rules.contractId, choice,
    choiceArgument },
})

// The SDK's own path: prepare, sign, execute.
const tap = sdk.ledger.prepare({
  partyId: alice.id, disclosedContracts: [disclosed(rules), disclosed(round)],
  commands: onRules('AmuletRules_DevNet_Tap', { receiver: alice.id, amount: '100.0', openRound: round.contractId }),
})
await verified((await tap.toJSON()).response)
done.tap = await tap.sign(alice.privateKey).execute({ partyId: alice.id })

// A payment is signed by both sides. The SDK signs for one party at a time, so its key and signing code are used alone.
const [coin] = await contracts(alice.id, 'Amulet:Amulet')
const payment = await verified(await post('/v2/interactive-submission/prepare', {
  commandId: `pay-${alice.fingerprint}`, actAs: [alice.id, bob.id],
  disclosedContracts: [disclosed(rules), disclosed(round)],
  commands: [onRules('AmuletRules_Transfer', {
    transfer: {
      sender: alice.id, provider: alice.id, inputs: [{ tag: 'InputAmulet', value: coin.contractId }],
      outputs: [{ receiver: bob.id, amount: '30.0', receiverFeeRatio: '0.0' }],
    },
    context: { openMiningRound: round.contractId, issuingMiningRounds: [], validatorRights: [] },
    expectedDso: dso,
  })],
}))
const signatureOf = (holder) => ({
  party: holder.id,
  signatures: [{
    format: 'SIGNATURE_FORMAT_CONCAT', signedBy: holder.fingerprint,
    signature: signTransactionHash(payment.preparedTransactionHash, holder.privateKey),
    signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_ED25519',
  }],
})
done.payment = (await post('/v2/interactive-submission/executeAndWaitForTransaction', {
  preparedTransaction: payment.preparedTransaction, hashingSchemeVersion: payment.hashingSchemeVersion,
  submissionId: crypto.randomUUID(),
  deduplicationPeriod: { Empty: {} }, partySignatures: { signatures: [signatureOf(alice), signatureOf(bob)] },
})).transaction
assert.equal(done.payment.externalTransactionHash, done.hashes.at(-1))

done.alice = alice.id
done.bob = bob.id
done.holdings = {}
for (const holder of [alice, bob]) {
  const coins = await contracts(holder.id, 'Amulet:Amulet')
  done.holdings[holder.id] = coins.map((held) => held.createArgument.amount.initialAmount)
}
console.log(JSON.stringify(done))
