// Expectations that need attention: those that are not met now.

import { answerInWords } from '../../domain/access/expected.ts';
import { type Attention, mostUrgent } from '../../domain/attention.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { askAbout, readExpectations } from './asking-store.ts';
import { expectedInWords, expectedOf, questionInWords } from './rules.ts';

export const attention: readonly AttentionSource[] = [
  {
    needs: ['expectations:read'],
    async find({ scope, most, signal }) {
      const asked = await askAbout(scope, await readExpectations(scope), signal?.());
      const found = asked
        .filter(({ isMet }) => !isMet)
        .map(({ expectation, question, answer }): Attention => {
          const is = answerInWords(answer);
          const message =
            `The expectation "${expectation.name}" is not met: ${questionInWords(question)} is ${is}, and should be ` +
            `${expectedInWords(expectedOf(expectation))}. See why, and change what decides, or the expectation.`;
          const subject = { id: expectation.id, description: expectation.name };
          return { code: 'expectation_fails', severity: 'warning', message, count: 1, at: null, subject };
        });
      return mostUrgent(found, most, scope.now());
    },
  },
];
