// The baseline: what Node's own HTTP modules do between a client and a vendor if nothing is checked, counted or stored.
import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

const upstream = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 4096 })

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const call = send(
    { host: '127.0.0.1', port: upstream, method: request.method, path: request.url, headers: request.headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  call.on('error', () => response.destroy())
  response.on('close', () => call.destroyed || response.writableEnded || call.destroy())
  request.pipe(call)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
