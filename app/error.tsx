'use client'
import { PageFailed } from '#components/page-failed'

// With every page, though few break: who breaks because the network is gone could not load it then.
export default PageFailed
