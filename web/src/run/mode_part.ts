import type { ComponentType, ReactNode } from 'react'
import type { StoredEvent, Story } from './story'

/** The page's half of a mode: what a run of it is called and how it is shown, from its story alone. */
export interface ModePart {
  /** What its stages and steps are called, by their names in events and calls; what is missing is spelt out. */
  names: Readonly<Record<string, string>>
  /** What stands in the empty box for the question, where it is not a question that is wanted. */
  placeholder?: string
  /** What the box is called, where it takes a text rather than a question. */
  label?: string
  /** The text that a mode judges has a box of its own, above the question. */
  text?: {
    field: string
    label: string
    placeholder: string
    /** What is asked where there is a text and no question; if not said, the text itself is the question. */
    question?: string
  }
  /** The question is itself the text that is judged: the answer of another mode may be put there. */
  judgesText?: boolean
  /** Steps that one stage asks side by side: the first group is what their names have in common. */
  parallelSteps?: RegExp
  /** Whether an event that starts something starts a stage; if not said, all do but the run's first. */
  isStage?: (event: StoredEvent) => boolean
  /** The stages of a run, in order, where each but the rounds comes once: shown before they begin. */
  plan: readonly string[] | ((story: Story) => readonly string[])
  /** The name of a stage where it depends on more than the type of its event. */
  stageName?: (event: StoredEvent) => string | null
  /** The name of a step where it depends on its number. */
  stepName?: (step: string) => string | null
  /** Its picture, fetched with its styles when the first run of it is opened. */
  picture: () => Promise<ModePicture>
}

export type PartOf = (mode: string) => ModePart

/** The answer of a run, and the picture of how it came about. */
export interface ModePicture {
  answer: (story: Story) => FinalAnswer | null
  Picture: ComponentType<PictureProps>
}

/** What one reads, and under whose name. */
export interface FinalAnswer {
  text: string
  by?: ReactNode
  /** What stands between the name and the text. */
  head?: ReactNode
  /** The text as it is drawn, where Markdown alone does not do it justice. */
  body?: ReactNode
}

/** The question is for modes whose question is the work itself. */
export interface PictureProps {
  story: Story
  question: string
}
