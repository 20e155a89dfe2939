import { join, resolve } from 'node:path'
import { type Env, readEnv } from '../env.ts'
import { reasonOf } from '../setup/reason.ts'

/** What a command takes as arguments. */
export interface Command<Input> {
  /** Printed for `--help`, and for arguments that the command does not take. */
  usage: string
  /**
   * Reads the arguments, in the folder where the command was called and before anything is opened. Returns null if they are
   * invalid.
   */
  read(words: string[]): Input | null | Promise<Input | null>
}

/** A command without arguments. It refuses any that are given, because it would not do what they ask for. */
export const takesNothing = (usage: string): Command<true> => ({ usage, read: (words) => words.length === 0 || null })

/** The only argument of a command that takes a folder; null if there is none, more than one, or an option. */
export const oneFolder = ([folder = '', ...more]: string[]): string | null =>
  folder === '' || folder.startsWith('-') || more.length > 0 ? null : resolve(folder)

/**
 * Runs a command in the project's folder. Its result is the exit code. An error is printed as one line, and the exit code is 1.
 */
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
