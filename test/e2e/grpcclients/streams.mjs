// What a client with generated bindings does: it follows updates while commands are committed, resumes, reads contracts
// and completions, and keeps an idle connection. What was received is printed as JSON.
//
// Usage: node streams.mjs ADDRESS TOKEN PARTY PACKAGE_NAME
import assert from 'node:assert/strict'
import * as api from './bindings.mjs'

const [address, token, party, packageName] = process.argv.slice(2)
const { grpc } = api
const compressed = { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip }
const transport = api.connect(address, token, compressed)
const commands = new api.CommandServiceClient(transport)
const updates = new api.UpdateServiceClient(transport)
const state = new api.StateServiceClient(transport)
const completions = new api.CommandCompletionServiceClient(transport)

// The limit also keeps the process alive while all connections are idle.
let current = 'start'
const limit = setTimeout(() => {
  console.error(`nothing came while it tried to ${current}`)
  process.exit(1)
}, 110_000)

// step names what is being tried, in case it fails.
async function step(name, body) {
  current = name
  try {
    return await body()
  } catch (failure) {
    throw new Error(`${name}: ${failure.stack}`)
  }
}

const eventFormat = { filtersByParty: { [party]: {} }, verbose: true }
const updateFormat = {
  includeTransactions: { eventFormat, transactionShape: api.TransactionShape.ACS_DELTA },
}

function follow(beginExclusive, more = {}) {
  const request = api.GetUpdatesRequest.create({ beginExclusive, updateFormat, ...more })
  return new api.Elements((options) => updates.getUpdates(request, options))
}

const isCheckpoint = ({ update }) => update.oneofKind === 'offsetCheckpoint'

// transactions reads a number of transactions, and whatever checkpoints are between.
async function transactions(stream, count) {
  const found = []
  while (found.length < count) {
    const element = await stream.next()
    if (!isCheckpoint(element)) found.push(element.update.transaction)
  }
  return found
}

// checkpointFrom waits for a checkpoint at an offset or later; nothing else may come.
async function checkpointFrom(stream, offset) {
  for (;;) {
    const element = await stream.next()
    assert(isCheckpoint(element), api.GetUpdatesResponse.toJsonString(element))
    if (element.update.offsetCheckpoint.offset >= offset) return
  }
}

async function requireCancelled(stream) {
  stream.cancel()
  const [, code] = await stream.rest()
  assert.equal(code, 'CANCELLED')
}

function creation(commandId, text) {
  const fields = [party, party].map((name) => ({ value: { sum: { oneofKind: 'party', party: name } } }))
  fields.push({ value: { sum: { oneofKind: 'text', text } } })
  return api.SubmitAndWaitForTransactionRequest.create({
    commands: {
      commandId,
      actAs: [party],
      commands: [{
        command: {
          oneofKind: 'create',
          create: {
            templateId: { packageId: `#${packageName}`, moduleName: 'N', entityName: 'Note' },
            createArguments: { fields },
          },
        },
      }],
    },
  })
}

const texts = ['one', 'two', 'three '.repeat(2_500)]
const textOf = ({ createArguments: { fields } }) => fields.at(-1).value.sum.text

async function streams() {
  const { offset: begin } = await state.getLedgerEnd({}).response
  const open = await step('open a stream', async () => {
    const stream = follow(begin)
    await stream.call.headers // they come before any element
    await checkpointFrom(stream, begin)
    return stream
  })
  const submitted = []
  await step('receive what is committed', async () => {
    for (const [i, text] of texts.entries()) {
      const { response } = commands.submitAndWaitForTransaction(creation(`js-${i}`, text), { timeout: 60_000 })
      submitted.push((await response).transaction)
    }
    assert.deepEqual(await transactions(open, 3), submitted)
    assert.deepEqual(submitted.map(({ events: [{ event }] }) => textOf(event.created)), texts)
  })
  const [, second, third] = submitted
  await step('resume after the second update', async () => {
    const stream = follow(second.offset)
    assert.deepEqual(await transactions(stream, 1), [third])
    await checkpointFrom(stream, third.offset)
    await requireCancelled(stream)
  })
  await step('end at an offset', async () => {
    const [elements, code] = await follow(begin, { endInclusive: third.offset }).rest()
    assert.equal(code, 'OK')
    assert.deepEqual(elements.map(({ update }) => update.transaction), submitted)
  })
  await step('read completions until a deadline', () => readCompletions(begin, submitted))
  const contractIds = await step('read active contracts', () => readContracts(third.offset, submitted))
  await step('be refused', () => refusals(submitted[0]))
  await step('receive a checkpoint after the last update', () => checkpointFrom(open, third.offset))
  await step('cancel', () => requireCancelled(open))
  return { updateIds: submitted.map(({ updateId }) => updateId), contractIds }
}

async function readCompletions(beginExclusive, submitted) {
  const request = api.CompletionStreamRequest.create({ parties: [party], beginExclusive })
  const [elements, code] = await new api.Elements(
    (options) => completions.completionStream(request, { ...options, timeout: 2_000 })).rest()
  // At the deadline, the node resets the stream, and so does grpc-js. If the node is first, grpc-js says CANCELLED.
  assert(['DEADLINE_EXCEEDED', 'CANCELLED'].includes(code), code)
  const found = elements.map(({ completionResponse }) => completionResponse)
  assert.deepEqual(found.slice(0, -1).map(({ completion: { commandId, updateId, offset, status } }) =>
    [commandId, updateId, offset, status.code]),
  submitted.map(({ commandId, updateId, offset }) => [commandId, updateId, offset, 0]))
  assert.equal(found.at(-1).oneofKind, 'offsetCheckpoint')
}

async function readContracts(activeAtOffset, submitted) {
  const plain = { ...eventFormat, verbose: false }
  const request = api.GetActiveContractsRequest.create({ activeAtOffset, eventFormat: plain })
  const [elements, code] = await new api.Elements((options) => state.getActiveContracts(request, options)).rest()
  assert.equal(code, 'OK')
  const contracts = elements.map(({ contractEntry }) => contractEntry.activeContract.createdEvent)
  assert.deepEqual(contracts.map(textOf), texts)
  for (const { createArguments: { recordId, fields } } of contracts) {
    assert.equal(recordId, undefined, 'only verbose answers name records')
    assert(fields.every(({ label }) => label === ''))
  }
  const contractIds = contracts.map(({ contractId }) => contractId)
  assert.deepEqual(contractIds, submitted.map(({ events: [{ event }] }) => event.created.contractId))
  return contractIds
}

async function refusals(first) {
  const again = await api.failureOf(commands.submitAndWaitForTransaction(creation('js-0', 'one')))
  assert.equal(again.code, 'ALREADY_EXISTS')
  assert.equal(again.status.code, grpc.status.ALREADY_EXISTS)
  assert.equal(again.status.message, again.message)
  assert.equal(again.info.reason, 'DUPLICATE_COMMAND')
  assert.equal(again.info.metadata.completion_offset, String(first.offset))
  const stranger = new api.StateServiceClient(api.connect(address, 'no.real.token', compressed))
  const unknown = await api.failureOf(stranger.getLedgerEnd({}))
  assert.equal(unknown.code, 'UNAUTHENTICATED')
  const outdated = await api.failureOf(updates.getUpdates(
    api.GetUpdatesRequest.create({ filter: { filtersByParty: { [party]: {} } } })))
  assert.equal(outdated.info.reason, 'MISSING_FIELD', 'clients of release 3.3 send no format')
  assert.equal(outdated.info.metadata.field_name, 'update_format')
  const past = await api.failureOf(updates.getUpdateTrees(api.GetUpdatesRequest.create({}), {}))
  assert.equal(past.code, 'UNIMPLEMENTED')
}

// idles leaves a connection without calls for five pings. A node that finds them too fast ends the connection at the
// fourth.
async function idles() {
  const idle = api.connect(address, token, {
    'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_permit_without_calls': 1,
  })
  const version = new api.VersionServiceClient(idle)
  await version.getLedgerApiVersion({}).response
  const channel = idle.client.getChannel()
  const { READY } = grpc.connectivityState
  assert.equal(channel.getConnectivityState(false), READY)
  await new Promise((resolve, reject) => {
    channel.watchConnectivityState(READY, Infinity, () => reject(new Error('the node ended the idle connection')))
    api.answeredPings.onPing = () => { if (api.answeredPings.count === 5) resolve() }
  })
  assert.equal(channel.getConnectivityState(false), READY)
  await version.getLedgerApiVersion({}).response
}

const [done] = await Promise.all([streams(), idles()])
clearTimeout(limit)
console.log(JSON.stringify({ ...done, pings: api.answeredPings.count }))
process.exit(0)
