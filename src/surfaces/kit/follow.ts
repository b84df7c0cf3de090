// What the surfaces share of a stream of changes: who follows, for how long, and that each event is answered as a new request of the
// caller would be. What an event looks like is up to the surface.

import type { Request } from 'express';
import type { Written } from '../../graphql/execution/answer.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { answerInTurn } from '../../load/admission.ts';
import type { Estimate } from '../../load/cost.ts';
import type { RequestsUnderway } from '../../load/requests-underway.ts';
import type { Callers } from '../../pipeline/identify.ts';
import type { Caller, Reply } from '../../pipeline/request.ts';
import type { AuditEvent } from '../../storage/trail/event-reads.ts';
import type { Following } from '../../storage/trail/follower.ts';
import { sendAnswer } from '../../wire/send.ts';
import type { EventStreams, StreamForm } from './event-streams.ts';

/** What a surface adds to a stream. There may be a thousand: it keeps little. */
export interface Followed {
  readonly form: StreamForm;
  /** What an event costs. */
  readonly estimate: Estimate;
  /** Identifies the caller again for each event. Throws if the client may no longer receive it. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  readonly contextOf: (reply: Reply, caller: Caller) => Context;
  /** Starts to follow events. Throws the error that refuses the request. */
  readonly begin: () => Promise<Following>;
  readonly answer: (event: AuditEvent, context: Context) => Promise<Written>;
}

/** Serves a stream to its end. Throws as `EventStreams.serve`: nothing has been sent then. */
export type Follow = (request: Request, reply: Reply, caller: Caller, followed: Followed) => Promise<void>;

export const streamType = 'text/event-stream';

/** Creates the function that serves streams. */
export function createFollow(
  streams: EventStreams,
  callers: Pick<Callers, 'watch'>,
  underway: Pick<RequestsUnderway, 'end'>,
): Follow {
  return async (request, reply, caller, { form, estimate, identify, contextOf, begin, answer }) => {
    if (request.method === 'HEAD') {
      sendAnswer(reply, { status: 200, headers: { 'Content-Type': streamType }, body: null });
      return;
    }
    // The body is not kept as long as the stream.
    request.body = undefined;
    await streams.serve(reply, {
      form,
      accountId: caller.accountId,
      watch: (ended) => callers.watch(caller, ended),
      async begin() {
        const following = await begin();
        // From here on it counts as a stream, and no longer as a request under way.
        underway.end(reply);
        return following;
      },
      async answer(event) {
        const context = contextOf(reply, await identify(request, reply));
        return answerInTurn(context, estimate, () => answer(event, context));
      },
    });
  };
}
