// The expectations, with whether they are met.

import { useState } from 'react';
import { usePages } from '../../client/pages.ts';
import type { ExpectationKind } from '../../client/types.generated.ts';
import { expectationColumns } from '../../expectations/columns.tsx';
import { decidingKinds, kindTitles } from '../../expectations/words.ts';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { CreateExpectationDocument, ExpectationsDocument } from './expectations.generated.ts';
import { askedOf, emptyQuestion, type QuestionDraft, QuestionFields } from './question-fields.tsx';

function NewExpectation({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<ExpectationKind>('ip');
  const [question, setQuestion] = useState<QuestionDraft>(emptyQuestion);
  const asked = askedOf(kind, { ...question, groups: sentLines(question.groups) });
  return (
    <CreateDialog
      title="New expectation"
      close={close}
      kind="Expectation"
      document={CreateExpectationDocument}
      input={{ name, kind, expected: question.expected, ...asked }}
      rest={{ path: '/expectations' }}
      made={({ createExpectation }) => createExpectation?.expectation}
      isReady={name.trim() !== ''}
    >
      {(problem) => (
        <>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            hint="What is expected, such as “The office may use the wiki”."
            error={errorOf(problem, 'name')}
            autoFocus
          />
          <SelectField
            label="About"
            value={kind}
            options={kindTitles}
            onChange={setKind}
            error={errorOf(problem, 'kind')}
          />
          <QuestionFields
            kind={kind}
            value={question}
            onChange={(change) => setQuestion({ ...question, ...change })}
            problem={problem}
          />
        </>
      )}
    </CreateDialog>
  );
}

export default function Expectations() {
  const question = useQuestion(listOrders);
  // What is met depends on everything.
  const pages = usePages(ExpectationsDocument, question.variables, (data) => data.expectations, decidingKinds);
  const creation = useCreation('expectations:write', 'New expectation', (close) => <NewExpectation close={close} />);
  return (
    <ListPage
      title="Expectations"
      description="Who must be let in, and who must not, whatever changes: a change that would break one is refused."
      creation={creation}
      question={question}
      searched="name, address, URL, host, description, metadata or id"
      pages={pages}
      hrefOf={(one) => `/expectations/${one.id}`}
      columns={[...expectationColumns, timeColumn(question)]}
      empty={{
        title: 'No expectations yet',
        text: 'An expectation asks the gate, the edges, or the IP restrictions a question and holds them to the answer: that the office gets in, or that nobody else does. Changes that would break it are refused unless they are forced.',
      }}
    />
  );
}
