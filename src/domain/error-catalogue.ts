// The catalogue of errors: every code, what it means and what to do. Pure.

import { remedies } from './remedies.ts';

/**
 * Every error code that a client can receive, with its meaning and remedy. Both surfaces use only these codes; `docs/errors.md` is
 * generated from this table, and floor 2 assigns each code its HTTP status.
 */
export const errorCatalogue = {
  INVALID_INPUT: {
    meaning: 'A value is missing, or has the wrong type, form, size or range.',
    remedy: 'Correct the field that the message names.',
  },
  UNKNOWN_FIELD: {
    meaning: 'The request has a field or parameter that the route does not have.',
    remedy: 'Correct its spelling or leave it out; the message lists those that are accepted.',
  },
  READ_ONLY_FIELD: {
    meaning:
      'The request tries to set a field that is set only on create, only by the server, or by a route of its own.',
    remedy: 'Leave the field out. To change a create-only field, create a new object; to set a module, use its route.',
  },
  UNKNOWN_REFERENCE: {
    meaning: 'An identifier in the input does not match any object of that kind in this account.',
    remedy: 'Create the object first, or send the identifier of one that exists.',
  },
  DUPLICATE: {
    meaning: 'The value must be unique and is already in use.',
    remedy: 'Choose another value, or update the object that has it.',
  },
  MALFORMED_BODY: {
    meaning: 'The body is not one JSON object in UTF-8.',
    remedy: 'Send a JSON object; the message says where reading stopped.',
  },
  BODY_TOO_DEEP: {
    meaning: 'The body nests arrays and objects deeper than 64 levels.',
    remedy: 'Flatten the value.',
  },
  BODY_TOO_LARGE: {
    meaning:
      'The body is larger than 1 MiB (1,048,576 bytes), holds more than 150,000 values or 3,000 different keys, or arrives in more than 4,096 pieces (chunks).',
    remedy: 'Send less in one request, or with Content-Length instead of in many chunks.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body is not declared as JSON, or is in an encoding or character set that is not supported.',
    remedy: 'Send `Content-Type: application/json` with a UTF-8 body.',
  },
  UNSUPPORTED_VERSION: {
    meaning: 'The version header is missing or names a version that does not exist.',
    remedy: 'Send `Service-Version: 2` with every REST request.',
  },
  BAD_REQUEST: {
    meaning: 'The request breaks HTTP or the rules of GraphQL over HTTP, for example with an unusable Host header.',
    remedy: 'Correct what the message names.',
  },
  HEADERS_TOO_LARGE: {
    meaning: 'The headers of the request are larger than 16 KiB, or more than 100.',
    remedy: 'Send fewer or shorter headers.',
  },
  EXPECT_UNSUPPORTED: {
    meaning: 'The request has an `Expect` header other than `100-continue`.',
    remedy: 'Send the request without the header.',
  },
  REQUEST_TIMEOUT: {
    meaning: 'The request did not arrive in time: 15 seconds for the headers, 60 for everything.',
    remedy: 'Send it again, over a faster connection if need be. Nothing was executed.',
  },
  UNAUTHENTICATED: {
    meaning:
      'The request does not have a valid API key, nor, where a route takes one in its place, what says whom it speaks for; or the ' +
      'session of the dashboard has ended, or comes without the header of the dashboard.',
    remedy:
      'Send `Authorization: Bearer <API key>` with a key that has neither expired nor been revoked, or what the message names. In the ' +
      'dashboard, sign in again.',
  },
  FORBIDDEN: {
    meaning:
      'The API key does not have the scopes that the request needs, or the request would make a stronger key; or the enrollment ' +
      'token does not allow what the host asks for.',
    remedy:
      'Use a key with the scopes that the message names, or have one made by somebody who has them. With an enrollment token, ask ' +
      'for what it allows, or for another token.',
  },
  ENROLLMENT_TOKEN_UNUSABLE: {
    meaning: 'The enrollment token has ended, or as many hosts have been enrolled with it as it is good for.',
    remedy: 'Make another token, and enroll the host with that one.',
  },
  PROOF_INVALID: {
    meaning:
      'The proof that comes in the place of an API key does not hold: the challenge is unknown, expired, used or for something else, or ' +
      'the signature is not that of the key over it.',
    remedy:
      'Ask for a new challenge with `POST /ssh_challenges`, sign exactly its text with the private key of the host and in the ' +
      'namespace that the message names, and send both once.',
  },
  IP_RESTRICTED: {
    meaning: "An enforced IP restriction of the key's account refuses requests from the client's address.",
    remedy:
      'Send the request from an address that its IP policies allow. If nobody is left who can change them, the operator can ' +
      `suspend the restrictions: \`${remedies.suspendRestrictions('<account>')}\`.`,
  },
  NOT_FOUND: {
    meaning: 'The addressed object does not exist, or belongs to another account.',
    remedy: 'Check the identifier, and that the key belongs to the right account.',
  },
  EVENT_GONE: {
    meaning:
      'There is no such event to follow the changes after, or later ones may have been deleted because of their age.',
    remedy:
      'Something may have been missed: read the objects anew, and follow from the newest event on, which `auditEvents` and ' +
      '`GET /audit_events` tell.',
  },
  UNKNOWN_ROUTE: {
    meaning: 'No route has this path.',
    remedy: 'Check the path against the documentation.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  NOT_ACCEPTABLE: {
    meaning: 'The `Accept` header excludes every media type that the answer could have.',
    remedy: 'Accept `application/json`, or `text/event-stream` for a subscription, as the message says.',
  },
  IN_USE: {
    meaning: 'The object cannot be deleted, or its key not be erased, while others use it.',
    remedy: 'Delete or change the objects that the message names first, or wait for their end.',
  },
  OUT_OF_ORDER: {
    meaning: 'The object is not at the step that comes before the one that was asked for.',
    remedy: 'Do first what the message names.',
  },
  NOT_RENEWABLE: {
    meaning: 'The certificate cannot be renewed now: it is too early, or it ended too long ago.',
    remedy:
      'Renew it from the time on that the message names. If it ended too long ago, enroll the host anew, or create a new certificate ' +
      'with an API key.',
  },
  NOT_RESTORABLE: {
    meaning: 'The object cannot be put back to what it was: a secret of it is gone, or it ended for good.',
    remedy: 'Create a new object. The message says why the old one cannot come back.',
  },
  PLAN_OUTDATED: {
    meaning:
      'The plan of a document of the configuration is not what applying it would do any more. Nothing was changed.',
    remedy: 'Plan the document again, and look at the changes.',
  },
  CHANGED_SINCE: {
    meaning: 'What the request changed has changed again since: undoing it would lose that, too. Nothing was changed.',
    remedy: 'Undo the later change first, or restore single objects from their events in the audit trail.',
  },
  LOCKOUT: {
    meaning:
      'After the change, the client would be locked out: IP restrictions would refuse its address, its own key would be gone, or ' +
      'the last valid key of the account with all rights. Nothing was changed.',
    remedy:
      'Allow the address, or make another key, first. If the change is meant, repeat it with `force: true`, on REST with the header ' +
      '`Sallyport-Force: true`, or on the command line with `--force`.',
  },
  EXPECTATION_FAILED: {
    meaning:
      'After the change, something that is expected of the account would not hold any more: the message names the expectation. ' +
      'Nothing was changed.',
    remedy:
      'Change what the message says, or the expectation, first. If the change is meant, repeat it with `force: true`, on REST with ' +
      'the header `Sallyport-Force: true`, or on the command line with `--force`.',
  },
  APPROVAL_REQUIRED: {
    meaning:
      'The account has such changes wait for a second person. Nothing was changed, and the message names the request that was made.',
    remedy:
      'Have somebody else approve the request in the dashboard within 15 minutes, and then repeat the same change within 15 minutes.',
  },
  VERSION_CONFLICT: {
    meaning: 'The object has changed since the version named by `If-Match` or `expectedVersion`.',
    remedy: 'Read the object again, and repeat the change on what it holds now.',
  },
  IDEMPOTENCY_ANSWER_LOST: {
    meaning:
      'A request with the same `Idempotency-Key` was carried out, but its answer was not kept, and the object has been deleted since.',
    remedy: 'Do not repeat the request: what it asked for was done. The audit trail has the object.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    meaning: 'The `Idempotency-Key` header is not a key, or is sent more than once.',
    remedy: 'Send 1 to 255 printable ASCII characters, such as a UUID, with or without double quotes around them.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    meaning: 'A request with the same `Idempotency-Key` is being answered.',
    remedy: 'Repeat the request after the number of seconds in `Retry-After`: it gets the same answer.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning: 'The `Idempotency-Key` was sent with another request within the last 24 hours.',
    remedy: 'Send a new key with each new request, and the same key only to repeat one.',
  },
  GRAPHQL_SYNTAX: {
    meaning:
      'The GraphQL document cannot be parsed, or has more than 2,000 tokens, 500 comments or 3,000 lines, or a name of ' +
      'more than 255 characters.',
    remedy: 'Correct the document at the location given, or split it.',
  },
  GRAPHQL_INVALID: {
    meaning: 'The GraphQL document does not fit the schema.',
    remedy: 'Compare the document with the schema at the location given.',
  },
  QUERY_TOO_COMPLEX: {
    meaning:
      'The request asks for more than one answer may hold: a document that is too deep, too wide or too costly, or an ' +
      'answer of more than 64 MiB.',
    remedy: 'Ask for fewer fields, smaller pages or less nesting, in several requests.',
  },
  TOO_MANY_REQUESTS: {
    meaning:
      'The API key, or the network of a client without one, has used up its rate limit, or too many requests of the account or ' +
      'network are under way at once; or too many wrong API keys came from the network to sign in to the dashboard.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. With a rate limit, the header `RateLimit` tells what is left of it.',
  },
  UNAVAILABLE: {
    meaning:
      'The server cannot take the request now: its storage is busy, full or damaged, the account has too much work queued, ' +
      'or the server is shutting down.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. Where the message says that a change may have been stored, read first: a ' +
      'creation that is sent again without an `Idempotency-Key` makes a second object.',
  },
  OUTGOING_REFUSED: {
    meaning:
      'The request names a server that is not at a public address, or that redirects to one or from https to http.',
    remedy: 'Name a public server, or ask the operator to allow its network.',
  },
  OUTGOING_FAILED: {
    meaning: 'The server that the request names cannot be looked up, reached or read, or answers with something else.',
    remedy: 'Do what the message says: correct the address, or retry once that server answers.',
  },
  TOO_MANY_STREAMS: {
    meaning: 'The account has as many event streams open on this server as it may have.',
    remedy: 'Close streams that nobody reads, or let one stream serve several readers.',
  },
  INTERNAL: {
    meaning: 'The server failed. The request may or may not have had an effect.',
    remedy: 'Give the request ID to the operator of this server; the log has the cause.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
