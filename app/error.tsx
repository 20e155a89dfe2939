'use client'
import { PageFailed } from '#components/page-failed'

export default PageFailed
