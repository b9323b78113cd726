import { SDK } from '@canton-network/wallet-sdk'
const url = process.env.FLORIN_URL ?? 'http://localhost:2975', auth = { method: 'static', token: process.env.TOKEN }
const validatorUrl = `${url}/api/validator`, registryUrl = new URL(`${validatorUrl}/v0/scan-proxy`)
const sdk = await (await SDK.create({ auth, ledgerClientUrl: url })).extend({ token: { validatorUrl, auth,
  registries: [registryUrl] }, amulet: { validatorUrl, scanApiUrl: `${url}/api/scan`, auth, registryUrl } })
const [alice, bob] = await Promise.all(['alice', 'bob'].map(async (partyHint) => {
  const keys = sdk.keys.generate(), creation = sdk.party.external.create(keys.publicKey, { partyHint })
  return { ...keys, id: (await creation.sign(keys.privateKey).execute()).partyId }
}))
const submit = (party, [commands, disclosedContracts]) => sdk.ledger.prepare({ partyId: party.id, commands,
  disclosedContracts }).sign(party.privateKey).execute({ partyId: party.id })
await submit(alice, await sdk.amulet.tap(alice.id, '1000'))
await submit(alice, await sdk.token.transfer.create({ sender: alice.id, recipient: bob.id, amount: '5', registryUrl,
  instrumentId: 'Amulet' }))
console.log('offered to bob', (await sdk.token.transfer.pending(bob.id))[0].interfaceViewValue.transfer.amount)
