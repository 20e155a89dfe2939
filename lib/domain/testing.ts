/** Milliseconds of CPU time that some work took. Whatever else the machine does meanwhile does not count. */
export function measureCpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
