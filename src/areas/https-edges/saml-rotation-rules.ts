// The steps in which the keys of a SAML service provider are replaced, without a moment at which a login fails. Pure.

import { SallyportError } from '../../domain/errors.ts';

/** How far the keys are replaced. */
export const rotationStates = ['settled', 'announced', 'taken_over'] as const;
export type RotationState = (typeof rotationStates)[number];

/** The steps of a replacement, in order. */
export const rotationSteps = ['announce', 'take_over', 'drop_former'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** Returns how far the keys of a module are replaced. */
export function rotationStateOf(module: {
  readonly nextCertificatePem: string | null;
  readonly formerCertificatePem: string | null;
}): RotationState {
  if (module.nextCertificatePem !== null) return 'announced';
  return module.formerCertificatePem === null ? 'settled' : 'taken_over';
}

/** The step that each state waits for, and what is the case until then. */
const nextSteps: Readonly<Record<RotationState, { readonly step: RotationStep; readonly because: string }>> = {
  settled: { step: 'announce', because: 'No next key is announced' },
  announced: { step: 'take_over', because: 'The next key is announced, and does not sign yet' },
  taken_over: { step: 'drop_former', because: 'The next key signs, and the former one still counts' },
};

/** Returns the step that comes next. */
export function nextStepOf(state: RotationState): RotationStep {
  return nextSteps[state].step;
}

/** Throws OUT_OF_ORDER for a step that is not the next one. */
export function checkStep(state: RotationState, step: RotationStep): void {
  const { step: next, because } = nextSteps[state];
  if (step !== next) throw new SallyportError('OUT_OF_ORDER', `${because}: the next step is \`${next}\`.`);
}
