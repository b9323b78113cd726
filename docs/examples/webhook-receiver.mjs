// A receiver of webhooks, with the library of Standard Webhooks (npm install standardwebhooks). It prints each message once.
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…, from florin webhook create
const maxBytes = 2 << 20 // a message has little more than 1 MiB at most
const seen = new Set() // your database, so that a restart forgets nothing

const server = createServer(async (request, response) => {
  try {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      if ((size += chunk.length) > maxBytes) throw new Error('the message is too long')
      chunks.push(chunk)
    }
    const { type, data } = webhook.verify(Buffer.concat(chunks), request.headers) // the body as it came
    const id = request.headers['webhook-id']
    if (!seen.has(id)) console.log(type, id, JSON.stringify(data)) // store the message, and work on it afterwards
    seen.add(id)
    response.writeHead(204).end()
  } catch (error) { // a bad signature, or one of more than five minutes ago
    response.writeHead(401, { Connection: 'close' }).end(error.message)
  }
})
server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => console.log(`listens at http://127.0.0.1:${server.address().port}`))
