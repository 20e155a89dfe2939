import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Canvases = typeof import('@napi-rs/canvas')

/** The name under which the project's own font is registered, so that text is drawn on machines without fonts. */
const FAMILY = 'Tollgate Sandbox'
/** The fonts for characters that our font does not have, if the machine has one of them. */
const FALLBACK_FONTS = '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Color Emoji", sans-serif'

let loading: Promise<Canvases> | null = null

async function load(): Promise<Canvases> {
  const canvases = await import('@napi-rs/canvas')
  const file = join(process.cwd(), 'node_modules/geist/dist/fonts/geist-sans/Geist-Medium.ttf')
  if (existsSync(file)) canvases.GlobalFonts.registerFromPath(file, FAMILY)
  return canvases
}

/** Loads the canvas library with its font. It takes 30 MB, and is loaded when something is first drawn. */
export function loadCanvas(): Promise<Canvases> {
  loading ??= load()
  return loading
}

/** The font for a canvas, in a size of `pixels`. */
export const fontOf = (pixels: number): string => `${Math.round(pixels)}px "${FAMILY}", ${FALLBACK_FONTS}`
