// The generated bindings of the Ledger API, and grpc-js as their transport.
//
// The bindings are of an older release than the node. Their package exports few of them by name, so they come from its
// files.
process.env.GRPC_TRACE = 'keepalive' // grpc-js reads this when it is loaded

export const grpc = await import('@grpc/grpc-js')
const { GrpcTransport } = await import('@protobuf-ts/grpc-transport')

const load = (name) => import(new URL(
  `node_modules/@canton-network/core-ledger-proto/dist/esm/_proto/${name}.js`, import.meta.url))
const ledger = (name) => load(`com/daml/ledger/api/v2/${name}`)

export const { CommandCompletionServiceClient } = await ledger('command_completion_service.client')
export const { CompletionStreamRequest } = await ledger('command_completion_service')
export const { CommandServiceClient } = await ledger('command_service.client')
export const { SubmitAndWaitForTransactionRequest } = await ledger('command_service')
export const { StateServiceClient } = await ledger('state_service.client')
export const { GetActiveContractsRequest } = await ledger('state_service')
export const { UpdateServiceClient } = await ledger('update_service.client')
export const { GetUpdatesRequest, GetUpdatesResponse } = await ledger('update_service')
export const { TransactionShape } = await ledger('transaction_filter')
export const { VersionServiceClient } = await ledger('version_service.client')
const { Status } = await load('google/rpc/status')
const { ErrorInfo } = await load('google/rpc/error_details')

// connect opens a connection of its own.
export function connect(address, token, options = {}) {
  return new GrpcTransport({
    host: address,
    channelCredentials: grpc.credentials.createInsecure(),
    clientOptions: { 'grpc.use_local_subchannel_pool': 1, ...options },
    meta: { authorization: `Bearer ${token}` },
  })
}

// answeredPings are the pings that a node has answered on connections with keepalive; onPing runs after each.
export const answeredPings = { count: 0, onPing: () => {} }

grpc.setLogVerbosity(grpc.logVerbosity.DEBUG)
grpc.setLogger({
  error: (...words) => console.error(...words),
  info: () => {},
  debug: (line) => {
    if (!line.includes('Received ping response')) return
    answeredPings.count += 1
    answeredPings.onPing()
  },
})

// Elements reads a stream of a node element by element.
export class Elements {
  constructor(open) {
    this.cancelling = new AbortController()
    this.call = open({ abort: this.cancelling.signal })
    this.iterator = this.call.responses[Symbol.asyncIterator]() // elements before this are lost
  }

  // next waits for the next element.
  async next() {
    const { value, done } = await this.iterator.next()
    if (done) throw new Error('the stream ended')
    return value
  }

  // rest reads up to the end, and returns the elements and the code of the status.
  async rest() {
    const elements = []
    try {
      for (;;) {
        const { value, done } = await this.iterator.next()
        if (done) return [elements, (await this.call.status).code]
        elements.push(value)
      }
    } catch (failure) {
      return [elements, failure.code]
    }
  }

  cancel() { this.cancelling.abort() }
}

// failureOf waits for the failure of a call, and decodes the first detail of its status.
export async function failureOf(call) {
  let failure
  try {
    await call
  } catch (caught) {
    failure = caught
  }
  if (failure?.code === undefined) throw failure ?? new Error('the call succeeded')
  const details = failure.meta['grpc-status-details-bin']
  const status = details === undefined ? undefined : Status.fromBinary(Buffer.from(details, 'base64'))
  const [first] = status?.details ?? []
  const isInfo = first?.typeUrl === 'type.googleapis.com/google.rpc.ErrorInfo'
  const info = isInfo ? ErrorInfo.fromBinary(first.value) : undefined
  return { code: failure.code, message: failure.message, status, info }
}
