import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createMailer } from './mailer.ts'

const MAIL = { to: 'ada@example.com', subject: 'Hello', text: 'A text' }
const FROM = 'Gate <gate@example.com>'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function logs() {
  const lines: { fields: object; message: string }[] = []
  const note = (fields: object, message: string) => void lines.push({ fields, message })
  return { lines, info: note, warn: note }
}

/** A mail server that rejects the first `failures` connections. */
async function smtp(failures: number) {
  let talks = 0
  const taken: string[] = []
  const talk = (socket: Socket) => {
    if (++talks <= failures) return void socket.end('421 too busy\r\n')
    let data: string | null = null
    socket.write('220 test\r\n')
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
        if (data !== null) {
          if (line !== '.') data += `${line}\n`
          else {
            taken.push(data)
            data = null
            socket.write('250 taken\r\n')
          }
        } else if (line === 'DATA') {
          data = ''
          socket.write('354 go on\r\n')
        } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
      }
    })
    socket.on('error', () => undefined)
  }
  const server = createServer(talk).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, taken, talks: () => talks }
}

it('sends through the server', async () => {
  const server = await smtp(0)
  const log = logs()
  await createMailer({ SMTP_URL: server.url, MAIL_FROM: FROM }, log).send(MAIL)
  expect(server.taken[0]).toContain('To: ada@example.com')
  expect(server.taken[0]).toContain('From: Gate <gate@example.com>')
  expect(server.taken[0]).toContain('A text')
  expect(log.lines).toEqual([])
})

it('finds a server whose name has letters beyond ASCII', async () => {
  const server = await smtp(0)
  const url = server.url.replace('127', '１２７')
  await createMailer({ SMTP_URL: `${url}/?name=here`, MAIL_FROM: FROM }, logs(), []).send(MAIL)
  expect(server.taken[0]).toContain('A text')
})

it('tries again, and gives up with an error', async () => {
  const log = logs()
  const recovers = await smtp(2)
  await createMailer({ SMTP_URL: recovers.url, MAIL_FROM: FROM }, log, [1, 1]).send(MAIL)
  expect(recovers.taken).toHaveLength(1)
  const stays = await smtp(9)
  await expect(createMailer({ SMTP_URL: stays.url, MAIL_FROM: FROM }, log, [1, 1]).send(MAIL)).rejects.toThrow()
  expect(stays.talks()).toBe(3)
  expect(JSON.stringify(log.lines)).not.toContain('ada@')
})

it('gives up a server that does not answer', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).write('220 test\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const url = `smtp://ada%40x:p%23w@127.0.0.1:${(server.address() as AddressInfo).port}`
  const began = performance.now()
  await expect(createMailer({ SMTP_URL: url, MAIL_FROM: FROM }, logs(), [], 200).send(MAIL)).rejects.toThrow(/Timeout/)
  expect(performance.now() - began).toBeLessThan(3000)
})

it('writes the mail to the log where there is no server', async () => {
  const log = logs()
  await createMailer({ SMTP_URL: undefined, MAIL_FROM: FROM }, log).send(MAIL)
  expect(log.lines[0]?.fields).toEqual(MAIL)
})
