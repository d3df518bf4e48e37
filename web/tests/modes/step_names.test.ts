import { expect, test } from 'vitest'
import { partOf } from '../../src/modes'
import { stepName } from '../../src/run/stages'

test.each([
  ['chain', 'chain_step_2', 'Step 2'],
  ['confidence_weighted', 'answer', 'Answers'],
  ['debate', 'initial_answer', 'First answers'],
  ['debate', 'debate_vote/retry', 'Votes'],
  ['decompose', 'task_3', 'Part 3'],
  ['delphi', 'round_1', 'Round 1'],
  ['dialectic', 'critique_round_2', 'Critique 2'],
  ['dialectic', 'auto_score', 'Grade'],
  ['red_team', 'attack_round_1', 'Attack 1'],
  ['red_team', 'synthesis', 'Judgement'],
  ['tournament', 'round_1_match_0/swapped', 'Round 1, match 1'],
])('%s calls the step %s %s, as its picture does', (mode, step, name) =>
  expect(stepName(step, partOf(mode))).toBe(name),
)
