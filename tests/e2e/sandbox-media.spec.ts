import { expect, test } from '@playwright/test'
import { encodeMp3, encodeWav } from '../../lib/vendors/sandbox/encode-speech.ts'
import { renderVideo } from '../../lib/vendors/sandbox/render-video.ts'
import { synthesizeSpeech } from '../../lib/vendors/sandbox/synthesize-speech.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

for (const landscape of [true, false])
  test(`a browser plays the sandbox's ${landscape ? 'landscape' : 'portrait'} video from end to end`, async ({ page }) => {
    const video = base64(await renderVideo({ prompt: 'A lighthouse over a calm sea', seconds: 5, landscape }))
    const playback = await page.evaluate(async (data) => {
      const player = document.createElement('video')
      player.muted = true
      player.src = `data:video/mp4;base64,${data}`
      document.body.append(player)
      await new Promise((resolve, reject) => {
        player.onloadeddata = resolve
        player.onerror = () => reject(new Error(player.error?.message))
      })
      const readFrameAt = async (seconds: number) => {
        // A player that has seeked may not have painted the frame yet: the frame itself tells its time.
        const painted = new Promise<void>((resolve) => {
          const checkFrame = (_now: number, { mediaTime }: { mediaTime: number }): void => {
            if (Math.abs(mediaTime - seconds) < 0.3) resolve()
            else player.requestVideoFrameCallback(checkFrame)
          }
          player.requestVideoFrameCallback(checkFrame)
        })
        player.currentTime = seconds
        await painted
        const canvas = document.createElement('canvas')
        canvas.width = player.videoWidth
        canvas.height = player.videoHeight
        const context = canvas.getContext('2d') as CanvasRenderingContext2D
        context.drawImage(player, 0, 0)
        const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height)
        return {
          top: [...pixels.slice(0, 3)],
          bar: [...pixels.slice((canvas.width * (canvas.height - 18) + canvas.width / 2) * 4).slice(0, 3)],
        }
      }
      const [first, last] = [await readFrameAt(0.1), await readFrameAt(player.duration - 0.1)]
      player.playbackRate = 8
      const ended = new Promise((resolve) => {
        player.onended = () => resolve(true)
      })
      player.currentTime = player.duration - 1
      await player.play()
      return { width: player.videoWidth, height: player.videoHeight, seconds: player.duration, first, last, ended: await ended }
    }, video)
    expect(playback).toMatchObject({ width: landscape ? 640 : 360, height: landscape ? 360 : 640, seconds: 5, ended: true })
    expect(playback.last.top).toEqual(playback.first.top)
    // The bar has filled with green where it was empty.
    expect(playback.last.bar[1]).toBeGreaterThan((playback.first.bar[1] ?? 0) + 100)
  })

test("a browser decodes the sandbox's speech, and it lasts as long as it should", async ({ page }) => {
  const speech = await synthesizeSpeech({ text: 'Hello, this is the sandbox speaking.', voice: 'alloy' })
  const seconds = speech.samples.length / speech.sampleRate
  for (const bytes of [encodeWav(speech), await encodeMp3(speech)]) {
    const decoded = await page.evaluate(async (data) => {
      const buffer = Uint8Array.from(atob(data), (char) => char.charCodeAt(0)).buffer
      const sound = await new OfflineAudioContext(1, 24_000, 24_000).decodeAudioData(buffer)
      return { seconds: sound.duration, loudest: Math.max(...sound.getChannelData(0).slice(0, 24_000).map(Math.abs)) }
    }, base64(bytes))
    expect(Math.abs(decoded.seconds - seconds)).toBeLessThan(0.15)
    expect(decoded.loudest).toBeGreaterThan(0.05)
  }
})
