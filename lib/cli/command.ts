import { join, resolve } from 'node:path'
import { type Env, readEnv } from '../env.ts'
import { reasonOf } from '../setup/reason.ts'

/** What a command takes behind its name. */
export interface Command<Input> {
  /** What is said to `--help`, and to words that it does not take. */
  usage: string
  /** Reads them in the folder where it was called, before anything is opened; null where it does not take them. */
  read(words: string[]): Input | null | Promise<Input | null>
}

/** A command that takes nothing: what it is asked besides is refused, for it would be done otherwise than meant. */
export const takesNothing = (usage: string): Command<true> => ({ usage, read: (words) => words.length === 0 || null })

/** The only word of a command that takes a folder; null for none, for more, and for what is an option elsewhere. */
export const oneFolder = ([folder = '', ...more]: string[]): string | null =>
  folder === '' || folder.startsWith('-') || more.length > 0 ? null : resolve(folder)

/** Runs a command in the project's folder. What it answers is how the process ends; an error is a line to read, and 1. */
export async function runCommand<Input>(
  { usage, read }: Command<Input>,
  work: (input: Input, env: Env) => Promise<number>,
): Promise<void> {
  const words = process.argv.slice(2)
  if (words.includes('--help')) return void process.stdout.write(`${usage}\n`)
  try {
    const input = await read(words)
    if (input === null) throw new Error(usage)
    process.chdir(join(import.meta.dirname, '../..'))
    process.exitCode = await work(input, readEnv())
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exitCode = 1
  }
}
