import type { Download } from '../services/download.ts'

/** A reader that takes nothing for this long is considered gone. */
const STALL_TIMEOUT_MS = 60_000

/**
 * The bytes of a download. Each piece is made when the one before has been taken. The stream ends when everything is sent, when
 * the reader leaves (`cancel`, or the request's signal), or when it takes nothing for `stallTimeoutMs`, by default a minute. Then
 * `close` is called.
 */
export function downloadStream(
  { chunks, close }: Download,
  signal: AbortSignal,
  stallTimeoutMs: number = STALL_TIMEOUT_MS,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    // A generator that waits between two pieces ends now. One that is making a piece ends after it.
    void chunks.return(undefined).catch(() => undefined)
    close()
  }
  const startStallTimer = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    timer = setTimeout(() => {
      end()
      controller.error(new Error('nobody reads this download'))
    }, stallTimeoutMs)
    timer.unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
        startStallTimer(controller)
      },
      async pull(controller) {
        clearTimeout(timer)
        try {
          const { done, value } = await chunks.next()
          if (done) {
            end()
            controller.close()
          } else {
            controller.enqueue(encoder.encode(value))
            startStallTimer(controller)
          }
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    },
    // Nothing is made before the reader asks for it.
    { highWaterMark: 0 },
  )
}

/** Answers with a download, as an attachment that must not be cached. A HEAD request gets only the headers. */
export function downloadAnswer(download: Download, request: Request): Response {
  const headers = {
    'content-type': download.type,
    'content-disposition': `attachment; filename="${download.name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A proxy that buffers the answer would keep it from being streamed.
    'x-accel-buffering': 'no',
  }
  if (request.method === 'HEAD') {
    download.close()
    return new Response(null, { headers })
  }
  return new Response(downloadStream(download, request.signal), { headers })
}
