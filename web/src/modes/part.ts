import type { ComponentType, ReactNode } from 'react'
import type { Story } from '../story'

/** What one reads, and under whose name. */
export interface FinalAnswer {
  text: string
  by?: ReactNode
}

/** How a mode is shown: its answer, and the picture of how it came about, both from the story alone. */
export interface ModePart {
  answer: (story: Story) => FinalAnswer | null
  Picture: ComponentType<{ story: Story }>
}
