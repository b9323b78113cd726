// What the scripts share: the public wallet SDK, connected to a node, and parties whose keys it holds.
import assert from 'node:assert/strict'
import { SDK } from '@canton-network/wallet-sdk'

// The SDK uses what Node.js brought with version 22.
Object.groupBy ??= (items, keyOf) => {
  const groups = Object.create(null)
  for (const item of items) (groups[keyOf(item)] ??= []).push(item)
  return groups
}
Set.prototype.union ??= function union(other) { return new Set([...this, ...other]) }

// connect makes an SDK that speaks to the node at a URL as the user of a token.
export async function connect(url, token) {
  return SDK.create({ auth: { method: 'static', token }, ledgerClientUrl: url, logAdapter: quiet() })
}

function quiet() {
  const write = (...values) => console.error(...values.map((value) => JSON.stringify(value)))
  return { log: () => {}, info: () => {}, debug: () => {}, trace: () => {}, warn: write, error: write, child: quiet }
}

// onboard makes a party with a new key.
export async function onboard(sdk, hint) {
  const keys = sdk.keys.generate()
  const creation = sdk.party.external.create(keys.publicKey, { partyHint: hint })
  const topology = await creation.topology()
  assert.equal(await sdk.utils.hash.topologyTransaction(topology.topologyTransactions), topology.multiHash)
  assert.equal(await sdk.keys.fingerprint(keys.publicKey), topology.publicKeyFingerprint)
  const party = await creation.sign(keys.privateKey).execute()
  assert.equal(party.partyId, `${hint}::${topology.publicKeyFingerprint}`)
  return { id: party.partyId, fingerprint: topology.publicKeyFingerprint, ...keys }
}
