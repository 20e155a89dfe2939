import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A process of the benchmark's own, which ends with it. */
export class Child {
  readonly #process: ChildProcess
  readonly #heard = new Set<(message: Record<string, unknown>) => void>()
  port = 0

  private constructor(child: ChildProcess) {
    this.#process = child
    child.on('message', (message) => {
      for (const heard of this.#heard) heard(message as Record<string, unknown>)
    })
  }

  /** Starts a file of this folder and resolves when it tells its port. */
  static async start(file: string, args: string[] = []): Promise<Child> {
    const child = new Child(fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
    child.port = Number((await child.#next((message) => 'port' in message)).port)
    return child
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Hands a message over and resolves with the result that comes back. */
  async ask<Result>(message: object): Promise<Result> {
    const answer = this.#next((came) => 'result' in came || 'failed' in came)
    this.#process.send(message)
    const { result, failed } = await answer
    if (failed !== undefined) throw new Error(String(failed))
    return result as Result
  }

  /** Calls back for each message until the answer is called. */
  listen(heard: (message: Record<string, unknown>) => void): () => void {
    this.#heard.add(heard)
    return () => this.#heard.delete(heard)
  }

  stop(): void {
    if (this.#process.connected) this.#process.disconnect()
  }

  #next(wanted: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`))
      this.#process.once('exit', ended)
      const stop = this.listen((message) => {
        if (!wanted(message)) return
        stop()
        this.#process.off('exit', ended)
        resolve(message)
      })
    })
  }
}

const TICKS_PER_SECOND = 100

/** Processor time of a process and, where asked, its children, in milliseconds. Null where the system does not tell (no /proc). */
export async function cpuMs(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000
}

/** Resident memory of a process in bytes. */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  const kib = /VmRSS:\s+(\d+)/.exec(status ?? '')?.[1]
  return kib === undefined ? null : Number(kib) * 1024
}
