// What is shipped to receivers of the operator, and how it is written for each kind of receiver. Pure, and without any secret: the
// trail has none.

import { printable } from '../../domain/values/printable.ts';
import { snakeCase } from '../../domain/values/snake-case.ts';
import { truncateText } from '../../domain/values/text.ts';

/** An event of the trail, or a decision of the gate, for a receiver. */
export interface ShippedRecord {
  /** Identifies it for ever: one that arrives twice is told by it. */
  readonly id: string;
  readonly at: Date;
  /** What happened: `ip_policy.update`, `request.refuse`, `gate.allow`. */
  readonly type: string;
  readonly isRefusal: boolean;
  /** A sentence for people. */
  readonly message: string;
  /** The rest, by name in snake case. What is null is left out where the format can do so. */
  readonly fields: Readonly<Record<string, string | number | null>>;
  /** The object as JSON text; null for what is no event. */
  readonly state: string | null;
}

/** An event of the trail, as its row has it. */
interface TrailEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly action: string;
  readonly kind: string;
  readonly objectId: string;
  readonly version: number;
  readonly actor: string;
  readonly actorDescription: string;
  readonly requestId: string | null;
  readonly surface: string;
  readonly clientAddress: string | null;
  readonly state: string;
}

const verbs: Readonly<Record<string, string>> = { create: 'created', update: 'updated', delete: 'deleted' };

/**
 * Returns the record of an event.
 *
 * @param objectName what messages call the object; null if it has no name
 */
export function recordOfEvent(
  event: TrailEvent,
  account: { readonly id: string; readonly name: string },
  objectName: string | null,
): ShippedRecord {
  const { kind, action, actor, actorDescription, objectId } = event;
  const who = actorDescription === '' ? actor : `${actor} (${actorDescription})`;
  const what = `${kind} ${objectId}${objectName === null ? '' : ` "${objectName}"`}`;
  const verb = verbs[action];
  return {
    id: event.id,
    at: event.createdAt,
    type: `${snakeCase(kind.charAt(0).toLowerCase() + kind.slice(1))}.${action}`,
    isRefusal: action === 'refuse',
    message: verb === undefined ? `${who} was refused: ${objectName ?? objectId}` : `${who} ${verb} ${what}`,
    fields: {
      account_id: account.id,
      account_name: account.name,
      action,
      kind,
      object_id: objectId,
      object_name: objectName,
      version: event.version,
      actor,
      actor_description: actorDescription,
      request_id: event.requestId,
      surface: event.surface,
      client_address: event.clientAddress,
    },
    state: event.state,
  };
}

/** Writes a record as a line of JSON, with the line break. The identifier comes first. */
export function jsonLine({ id, at, type, message, fields, state }: ShippedRecord): string {
  const text = JSON.stringify({ id, time: at.toISOString(), type, message, ...fields });
  // The state is JSON text already. Parsed and written again, keys such as `__proto__` would be lost.
  return `${state === null ? text : `${text.slice(0, -1)},"state":${state}}`}\n`;
}

/** Returns the identifier in a line that `jsonLine` has written; null for any other. */
export function idOfLine(line: string): string | null {
  return /^\{"id":"(\w+)"/.exec(line)?.[1] ?? null;
}

export interface SyslogSender {
  readonly hostname: string;
  readonly process: number;
}

/** Facility "log audit" (RFC 5424, section 6.2.1), with the severities "warning" and "informational". */
const priorities = { refusal: 13 * 8 + 4, other: 13 * 8 + 6 };
/** Bytes of a value before it is escaped, so that a whole message has less than the 8,192 that receivers should take (RFC 5425). */
const valueBytesMax = 400;

/**
 * Writes a record as a message of RFC 5424, without the object's state, in a frame that begins with its length (RFC 5425, section
 * 4.3; RFC 6587, section 3.4.1). The name of its structured data has the number that RFC 5612 reserves for documentation, because
 * Sallyport has none of its own.
 */
export function syslogFrame(record: ShippedRecord, { hostname, process }: SyslogSender): Buffer {
  const { id, at, type, isRefusal, message, fields } = record;
  const values = Object.entries({ event_id: id, ...fields }).filter(([, value]) => value !== null && value !== '');
  const data = values.map(([name, value]) => `${name}="${escaped(String(value))}"`).join(' ');
  const priority = isRefusal ? priorities.refusal : priorities.other;
  const head = `<${priority}>1 ${at.toISOString()} ${nameIn(hostname, 255)} sallyport ${process} ${nameIn(type, 32)}`;
  const text = Buffer.from(`${head} [sallyport@32473 ${data}] ${shortened(message)}`);
  return Buffer.concat([Buffer.from(`${text.length} `), text]);
}

/** Writes a header field: printable ASCII without blanks, and not empty. */
function nameIn(text: string, charactersMax: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, charactersMax) || '-';
}

/** Writes control characters as JSON does, so that no text can begin a line of its own, and bounds the length. */
function shortened(text: string): string {
  return truncateText(printable(truncateText(text, 2 * valueBytesMax)), 2 * valueBytesMax);
}

/** Escapes a value of structured data (RFC 5424, section 6.3.3). */
function escaped(text: string): string {
  return truncateText(printable(truncateText(text, valueBytesMax)), valueBytesMax).replace(/["\\\]]/g, '\\$&');
}

/** Bytes of a state up to which it goes into an attribute: receivers refuse long ones. */
const stateBytesMax = 32_768;

/** Names of attributes that have one in the semantic conventions of OpenTelemetry. */
const conventional: Readonly<Record<string, string>> = { client_address: 'client.address' };

/** Writes records as a request of the OpenTelemetry protocol for logs, in JSON. */
export function otlpBody(
  records: readonly ShippedRecord[],
  resource: Readonly<Record<string, string>>,
  scope: { readonly name: string; readonly version: string },
  sentAt: Date,
): string {
  const logRecords = records.map(({ id, at, type, isRefusal, message, fields, state }) => {
    const attributes: Record<string, string | number | null> = { 'log.record.uid': id };
    for (const [name, value] of Object.entries(fields)) attributes[conventional[name] ?? `sallyport.${name}`] = value;
    attributes['sallyport.state'] = state !== null && Buffer.byteLength(state) <= stateBytesMax ? state : null;
    return {
      timeUnixNano: nanoseconds(at),
      observedTimeUnixNano: nanoseconds(sentAt),
      ...(isRefusal ? { severityNumber: 13, severityText: 'WARN' } : { severityNumber: 9, severityText: 'INFO' }),
      eventName: `sallyport.${type}`,
      body: { stringValue: message },
      attributes: attributesOf(attributes),
    };
  });
  return JSON.stringify({
    resourceLogs: [{ resource: { attributes: attributesOf(resource) }, scopeLogs: [{ scope, logRecords }] }],
  });
}

/** Writes a time as ProtoJSON does 64-bit numbers: as text. */
function nanoseconds(at: Date): string {
  return `${at.getTime()}000000`;
}

function attributesOf(values: Readonly<Record<string, string | number | null>>) {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === '') return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}
