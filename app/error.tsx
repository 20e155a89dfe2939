'use client'
import dynamic from 'next/dynamic'

// Loaded when a page has broken, not with every page that has not.
const PageFailed = dynamic(async () => (await import('#components/page-failed')).PageFailed)

export default PageFailed
