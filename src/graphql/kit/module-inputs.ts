// The input fields that modules of several kinds of objects have.

import type { InputBuilder } from './resource.ts';

/** Returns the input field that switches a module on and off. */
export function enabledInput(t: InputBuilder) {
  return {
    enabled: t.boolean({
      description: 'Whether the module is applied to traffic; defaults to true.',
      extensions: { configured: { default: true } },
    }),
  };
}

/** Returns the input fields for the settings of a backend module. */
export function backendInput(t: InputBuilder) {
  return {
    ...enabledInput(t),
    backendId: t.id({ required: true, description: 'The tunnel-group backend that the traffic goes to.' }),
  };
}

/** What an input that sets a module does on a create, and on an update. */
export type ModuleEffect = 'Defaults to none.' | 'Replaces the module.';

/** Describes an input that sets a module together with its object. */
export function moduleInputDescription(module: string, effect: ModuleEffect): string {
  const kept = effect === 'Replaces the module.' ? ' Null keeps it; it is deleted by itself.' : '';
  return `The ${module} module. ${effect}${kept}`;
}
