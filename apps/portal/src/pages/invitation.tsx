import { useState } from 'preact/hooks';
import { TraceabilityClient } from '#client';
import { Form } from '../parts/action';
import { Empty, Field, Link } from '../parts/basics';
import { go } from '../state/router';
import { farewell } from '../state/session';

/** Behind the # of the link, which browsers send to nobody. */
const tokenHere = (): string => location.hash.slice(1);

/** The one-time link of an invitation: it sets the first password, which signs in. */
export default function InvitationPage() {
  const [password, setPassword] = useState('');
  const token = tokenHere();
  const accept = async (): Promise<void> => {
    await new TraceabilityClient(location.origin).post('/api/v2/auth/invitations/accept', { token, password });
    farewell.value = 'Your password is set. Sign in with it.';
    go('/', { replace: true });
  };
  return (
    <main class="gate" id="main">
      <h1>Your invitation</h1>
      {token === '' ? (
        <Empty>
          This link is incomplete: the part after # is missing. Copy the whole link, or ask your administrator to invite you again.{' '}
          <Link to="/">Sign in</Link>
        </Empty>
      ) : (
        <Form label="Set the password" send={accept}>
          <Field label="New password" hint="At least 8 characters. You sign in with your e-mail address and this password.">
            <input
              type="password"
              autocomplete="new-password"
              required
              minLength={8}
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          </Field>
        </Form>
      )}
    </main>
  );
}
