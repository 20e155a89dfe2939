// A process of its own that starts the embedded server on the directory it is given, says so in one
// line of JSON, and then only stays: for tests that end it in ways in which a test cannot end itself.
import { startEmbedded } from '#lib/store/embedded/embedded'

const [dataDir = '', port = '0'] = process.argv.slice(2)
const { url, pid, adopted, dataDir: home } = await startEmbedded({ dataDir, port: Number(port) })
process.stdout.write(`${JSON.stringify({ url, pid, adopted, dataDir: home })}\n`)
setInterval(() => {}, 60_000)
