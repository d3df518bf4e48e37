import type { ComponentType, ReactNode } from 'react'
import type { Story } from './story'

/** What one reads, and under whose name. */
export interface FinalAnswer {
  text: string
  by?: ReactNode
  /** What stands between the name and the text. */
  head?: ReactNode
  /** The text as it is drawn, where Markdown alone does not do it justice. */
  body?: ReactNode
}

/** How a mode is shown: its answer, and the picture of how it came about, both from the story alone. */
export interface ModePart {
  answer: (story: Story) => FinalAnswer | null
  Picture: ComponentType<PictureProps>
  /** The seat whose sign a role carries, in modes whose calls have roles instead of seats. */
  seatOf?: (step: string) => number | null
}

/** The question is for modes whose question is the work itself. */
export interface PictureProps {
  story: Story
  question: string
}
