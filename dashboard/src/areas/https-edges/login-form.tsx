// The form of a login, whatever its protocol: what it is called, how it is saved, and how it is removed.

import type { ReactNode } from 'react';
import { Button } from '../../kit/button.tsx';
import type { Values } from '../../kit/draft.ts';
import { EditForm, type EditFormProps } from '../../kit/form.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import type { Deletion } from '../../trail/deletion.tsx';
import type { RouteOfLogin } from './login.tsx';

interface LoginFormProps<V extends Values> extends Omit<EditFormProps<V>, 'by' | 'action'> {
  readonly route: RouteOfLogin;
  /** Whether the route has no login yet. */
  readonly isNew: boolean;
  /** What people call the protocol. */
  readonly protocol: string;
  readonly removal: Deletion;
  /** What keeps people from logging in, above the form. */
  readonly trouble?: ReactNode;
}

/** A panel with the form of a login; its fields are the children. */
export function LoginForm<V extends Values>({
  route,
  isNew,
  protocol,
  removal,
  trouble,
  children,
  ...form
}: LoginFormProps<V>) {
  return (
    <Panel
      title={isNew ? 'Require a login' : 'Login'}
      description={isNew ? `At the identity provider of your users, by ${protocol}.` : undefined}
      actions={
        !isNew &&
        form.canWrite && (
          <Button onPress={removal.start} isPending={removal.running}>
            Remove the login
          </Button>
        )
      }
    >
      {trouble}
      <EditForm
        {...form}
        by={route.updatedBy ? sayActor(route.updatedBy) : undefined}
        action={isNew ? 'Require a login' : 'Save'}
      >
        {removal.overtaken}
        <ProblemNotice problem={removal.problem} />
        {children}
      </EditForm>
      {removal.dialog}
    </Panel>
  );
}
