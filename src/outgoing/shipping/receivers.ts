// The receivers that the operator has set up.

import { createFileReceiver, type FileSettings } from './file.ts';
import { createOtlpReceiver, type OtlpSettings } from './otlp.ts';
import type { Receiver } from './receiver.ts';
import { createSyslogReceiver, type SyslogSettings } from './syslog.ts';

/** Where the trail is shipped: null where it is not. */
export interface ShippingSettings {
  readonly file: FileSettings | null;
  readonly syslog: SyslogSettings | null;
  readonly otlp: OtlpSettings | null;
  /** The share of the gate's decisions to let a request pass that is shipped, too: from 0 to 1. */
  readonly gateSample: number;
}

/**
 * Creates the receivers of a process.
 *
 * @param isKeeper whether it ships the trail, and so keeps its file in order
 */
export function createReceivers(
  { file, syslog, otlp }: ShippingSettings,
  version: string,
  now: () => Date,
  isKeeper: boolean,
): readonly Receiver[] {
  return [
    ...(file === null ? [] : [createFileReceiver(file, isKeeper)]),
    ...(syslog === null ? [] : [createSyslogReceiver(syslog)]),
    ...(otlp === null ? [] : [createOtlpReceiver(otlp, version, now)]),
  ];
}
