// A separate process that starts the embedded server on the given directory, reports that in one line of JSON, and then stays
// alive. For tests that end it in ways in which a test cannot end itself.
import { startEmbedded } from '#lib/store/embedded/embedded'

const [dataDir = '', port = '0'] = process.argv.slice(2)
const { url, pid, adopted, dataDir: home } = await startEmbedded({ dataDir, port: Number(port) })
process.stdout.write(`${JSON.stringify({ url, pid, adopted, dataDir: home })}\n`)
setInterval(() => {}, 60_000)
