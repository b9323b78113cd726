// What a wallet does with coin, by the public wallet SDK alone: it lists holdings, taps, transfers in two steps and in
// one, merges, lets others merge, sets coin aside, buys traffic and becomes a featured app. What was done is printed as
// JSON.
//
// Usage: node coin.mjs URL TOKEN
import assert from 'node:assert/strict'
import { connect, onboard } from './sdk.mjs'

const [url, token] = process.argv.slice(2)
const validatorUrl = `${url}/api/validator`
const registryUrl = new URL(`${validatorUrl}/v0/scan-proxy`)
const auth = { method: 'static', token }

const basic = await connect(url, token)
const sdk = await basic.extend({
  amulet: { validatorUrl, scanApiUrl: `${url}/api/scan`, auth, registryUrl },
  token: { validatorUrl, auth, registries: [registryUrl] },
  asset: { auth, registries: [registryUrl] },
})
const [coin] = sdk.asset.list
const operator = (await (await fetch(`${validatorUrl}/v0/validator-user`)).json()).party_id
const done = { operator, steps: [] }

// step names what is being tried, in case it fails.
async function step(name, body) {
  try {
    const result = await body()
    done.steps.push(name)
    return result
  } catch (failure) {
    throw new Error(`${name}: ${failure.stack ?? JSON.stringify(failure)}`)
  }
}

// until asks again and again, until something is so or the whole script is given up.
async function until(isSo) {
  while (!await isSo()) await new Promise((resolve) => { setTimeout(resolve, 100) })
}

// submit signs commands with the key of a party and waits until they are committed.
async function submit(party, [commands, disclosedContracts]) {
  return sdk.ledger.prepare({ partyId: party.id, commands, disclosedContracts })
    .sign(party.privateKey).execute({ partyId: party.id })
}

const holdings = (partyId, includeLocked = false) => sdk.token.utxos.list({ partyId, includeLocked })

// total adds amounts up in ten-thousand-millionths, the coin's smallest part.
const total = (list) => list.reduce((sum, { interfaceViewValue: { amount } }) => sum + BigInt(amount.replace('.', '')), 0n)

// requireHoldings checks what a party can spend, what is locked, and by how many holdings it has it.
async function requireHoldings(party, { free, locked = 0, count }) {
  const all = await holdings(party.id, true)
  const spendable = await holdings(party.id)
  assert.equal(total(spendable), BigInt(free) * 10n ** 10n, 'what can be spent')
  assert.equal(total(all) - total(spendable), BigInt(locked) * 10n ** 10n, 'what is locked')
  if (count !== undefined) assert.equal(spendable.length, count, 'number of holdings')
  assert(all.every(({ interfaceViewValue: view }) => view.owner === party.id && view.instrumentId.admin === coin.admin))
}

// offer transfers in two steps, and returns the instruction that waits for the receiver.
async function offer(sender, receiver, amount) {
  const outcome = await submit(sender, await sdk.token.transfer.create({
    sender: sender.id, recipient: receiver.id, amount, instrumentId: coin.id, registryUrl, memo: 'lunch',
  }))
  const waiting = await sdk.token.transfer.pending(receiver.id)
  assert.equal(waiting.length, 1, 'one transfer waits')
  assert.deepEqual((await sdk.token.transfer.pending(sender.id)).map(({ contractId }) => contractId),
    [waiting[0].contractId])
  const { transfer, status } = waiting[0].interfaceViewValue
  assert.equal(transfer.sender, sender.id)
  assert.equal(transfer.receiver, receiver.id)
  assert.equal(Number(transfer.amount), Number(amount))
  assert.equal(status.tag, 'TransferPendingReceiverAcceptance')
  return { transferInstructionCid: waiting[0].contractId, registryUrl, updateId: outcome.updateId }
}

const noneWaits = async (party) => assert.deepEqual(await sdk.token.transfer.pending(party.id), [])

const tap = async (party, amount) => submit(party, await sdk.amulet.tap(party.id, amount))

await step('act for the operator', () => sdk.user.rights.grant({ userRights: { canActAs: [operator] } }))
// The SDK first looks for twenty seconds whether the operator is featured already, so this goes beside all else.
const featured = step('become a featured app', async () => {
  const right = await sdk.amulet.featuredApp.grant()
  assert.equal(right.payload.provider, operator)
  assert.equal((await sdk.amulet.featuredApp.rights({ partyId: operator, maxRetries: 1 })).contract_id, right.contract_id)
})
// Its failure is reported where it is awaited.
featured.catch(() => {})

const [alice, bob] = await step('onboard', () => Promise.all([onboard(sdk, 'coin-alice'), onboard(sdk, 'coin-bob')]))

await step('list no holdings', () => requireHoldings(alice, { free: 0, count: 0 }))
await step('tap', async () => {
  await tap(alice, '1000')
  await requireHoldings(alice, { free: 1000, count: 1 })
})

await step('accept a transfer', async () => {
  const offered = await offer(alice, bob, '100')
  await requireHoldings(alice, { free: 900, locked: 100, count: 1 })
  const accepted = await submit(bob, await sdk.token.transfer.accept(offered))
  await noneWaits(bob)
  await requireHoldings(alice, { free: 900 })
  await requireHoldings(bob, { free: 100, count: 1 })
  done.accepted = {
    offer: await sdk.token.transactionsById({ updateId: offered.updateId, partyId: alice.id }),
    accept: await sdk.token.transactionsById({ updateId: accepted.updateId, partyId: bob.id }),
  }
})
await step('reject a transfer', async () => {
  const offered = await offer(alice, bob, '50')
  await submit(bob, await sdk.token.transfer.reject(offered))
  await noneWaits(bob)
  await requireHoldings(alice, { free: 900 })
})
await step('withdraw a transfer', async () => {
  const offered = await offer(alice, bob, '25.5')
  await submit(alice, await sdk.token.transfer.withdraw(offered))
  await noneWaits(bob)
  await requireHoldings(alice, { free: 900 })
  await requireHoldings(bob, { free: 100 })
  await assert.rejects(sdk.token.transfer.accept(offered), ({ error }) => /not found/.test(error), 'it has ended')
})

const approved = await step('create a preapproval', async () => {
  await sdk.amulet.tapInternal('500')
  await submit(bob, [await sdk.amulet.preapproval.command.create({ parties: { receiver: bob.id } }), []])
  // The operator accepts by itself, and pays.
  const found = await sdk.amulet.preapproval.fetchStatus(bob.id, { intervalMs: 200, timeoutMs: 60_000 })
  assert.equal(found.dso, coin.admin)
  return found
})
await step('transfer in one step', async () => {
  await submit(alice, await sdk.token.transfer.create({
    sender: alice.id, recipient: bob.id, amount: '10', instrumentId: coin.id, registryUrl,
  }))
  await noneWaits(bob)
  await requireHoldings(alice, { free: 890 })
  await requireHoldings(bob, { free: 110 })
})
await step('renew a preapproval', async () => {
  const expiresAt = new Date(approved.expiresAt.getTime() + 30 * 24 * 3600 * 1000)
  await sdk.amulet.preapproval.renew({ parties: { receiver: bob.id }, expiresAt })
  const renewed = await sdk.amulet.preapproval.fetchStatus(bob.id, { oldCid: approved.contractId, intervalMs: 200 })
  assert.deepEqual(renewed.expiresAt, expiresAt)
})
await step('cancel a preapproval', async () => {
  await submit(bob, await sdk.amulet.preapproval.command.cancel({ parties: { receiver: bob.id } }))
  assert.equal(await sdk.amulet.preapproval.fetchStatus(bob.id, { cancelled: true }), null)
  assert.equal(await sdk.amulet.preapproval.fetchQuick(bob.id), null)
  const offered = await offer(alice, bob, '1')
  await submit(alice, await sdk.token.transfer.withdraw(offered))
})

await step('merge holdings', async () => {
  for (let i = 1; i <= 3; i += 1) await tap(alice, String(i))
  assert((await holdings(alice.id)).length > 3)
  const [commands, disclosed] = await sdk.token.utxos.merge({ partyId: alice.id })
  assert.equal(commands.length, 1)
  await submit(alice, [commands, disclosed])
  await requireHoldings(alice, { free: 896, count: 1 })
})
await step('let a wallet provider merge holdings', async () => {
  const { delegatedMerge } = sdk.token.utxos
  const validatorParty = await sdk.party.internal.allocate({ partyHint: 'coin-wallet-provider' })
  await delegatedMerge.setup('', validatorParty)
  await submit(alice, [delegatedMerge.command.propose({ owner: alice.id, validatorParty }), []])
  await delegatedMerge.approve({ owner: alice.id, validatorParty })
  for (let i = 1; i <= 9; i += 1) await tap(alice, '1')
  await delegatedMerge.execute({ party: alice.id, validatorParty })
  await requireHoldings(alice, { free: 905, count: 1 })
})
await step('let the operator merge holdings', async () => {
  const { delegatedMerge } = sdk.token.utxos
  await delegatedMerge.setup()
  await submit(bob, [delegatedMerge.command.propose({ owner: bob.id }), []])
  await delegatedMerge.approve({ owner: bob.id })
  while ((await holdings(bob.id)).length < 10) await tap(bob, '1')
  await delegatedMerge.execute({ party: bob.id })
  await requireHoldings(bob, { free: 118, count: 1 })
})

await step('set coin aside and take it back', async () => {
  const in_ = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString()
  const meta = { values: {} }
  await submit(alice, await sdk.token.allocation.instruction.create({
    asset: coin,
    allocationSpecification: {
      settlement: {
        executor: bob.id, settlementRef: { id: 'trade', cid: null }, requestedAt: in_(-1), allocateBefore: in_(5),
        settleBefore: in_(10), meta,
      },
      transferLegId: 'leg',
      transferLeg: {
        sender: alice.id, receiver: bob.id, amount: '5', instrumentId: { admin: coin.admin, id: coin.id }, meta,
      },
    },
  }))
  await requireHoldings(alice, { free: 900, locked: 5 })
  const [allocation] = await sdk.token.allocation.pending(alice.id)
  assert.equal(allocation.interfaceViewValue.allocation.transferLegId, 'leg')
  await submit(alice, await sdk.token.allocation.withdraw({ allocationCid: allocation.contractId, asset: coin }))
  await requireHoldings(alice, { free: 905 })
})

await step('buy traffic', async () => {
  const { traffic_status: before } = await sdk.amulet.traffic.status()
  const inputUtxos = (await holdings(alice.id)).map(({ contractId }) => contractId)
  await submit(alice, await sdk.amulet.traffic.buy({ buyer: alice.id, ccAmount: 200_000, inputUtxos }))
  const { traffic_status: after } = await sdk.amulet.traffic.status()
  assert.equal(after.target.total_purchased, before.target.total_purchased + 200_000)
  assert.equal(after.actual.total_limit, before.actual.total_limit + 200_000)
  done.traffic = after
  done.spent = String(905n * 10n ** 10n - total(await holdings(alice.id)))
})

done.history = await step('read the history', async () => {
  const { transactions } = await sdk.token.holdings({ partyId: alice.id })
  return transactions.map(({ events }) => events.map(({ label }) => label.type))
})
await featured

console.log(JSON.stringify({ ...done, alice: alice.id, bob: bob.id }))
