'use client'
import { PageFailed } from '#components/page-failed'

// Bundled with every page, though few fail: when a page fails because the network is down, this could no longer be loaded.
export default PageFailed
