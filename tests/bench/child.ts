import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/** A child process of the benchmark, which ends with it. */
export class Child {
  readonly #process: ChildProcess
  readonly #heard = new Set<(message: Record<string, unknown>) => void>()
  port = 0

  private constructor(child: ChildProcess) {
    this.#process = child
    child.on('message', (message) => {
      for (const listener of this.#heard) listener(message as Record<string, unknown>)
    })
  }

  /** Starts a file of this folder. Resolves when it reports its port. */
  static async start(file: string, args: string[] = []): Promise<Child> {
    const child = new Child(fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
    child.port = Number((await child.#next((message) => 'port' in message)).port)
    return child
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Sends a message and resolves with the result that comes back. */
  async ask<Result>(message: object): Promise<Result> {
    const answer = this.#next((came) => 'result' in came || 'failed' in came)
    this.#process.send(message)
    const { result, failed } = await answer
    if (failed !== undefined) throw new Error(String(failed))
    return result as Result
  }

  /** Calls `listener` for each message until the returned function is called. */
  listen(listener: (message: Record<string, unknown>) => void): () => void {
    this.#heard.add(listener)
    return () => this.#heard.delete(listener)
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
