import { Button, Stack, TextField as TextBox } from '@mui/material';
import { dataProvider, HttpError } from 'koa-mongo-resource/react-admin';
import { type ReactElement, useState } from 'react';
import {
  Admin,
  ArrayInput,
  type AuthProvider,
  AutocompleteInput,
  Confirm,
  Create,
  DataTable,
  DateField,
  Edit,
  List,
  NumberInput,
  ReferenceField,
  ReferenceInput,
  ReferenceManyField,
  Resource,
  SelectInput,
  SimpleForm,
  SimpleFormIterator,
  TextField,
  TextInput,
  useInput,
  useNotify,
  useRefresh,
} from 'react-admin';
import { createRoot } from 'react-dom/client';

const bearer = (token: string | null) => ({ Authorization: `Bearer ${token}` });
const provider = dataProvider('/api', { headers: () => bearer(localStorage.getItem('token')) });

/** The password is a token of the api. A real service has a login of its own. */
const authProvider: AuthProvider = {
  async login({ password }) {
    const answer = await fetch('/api/orders?limit=1', { headers: bearer(password) });
    if (!answer.ok) throw new Error('ra.auth.sign_in_error');
    localStorage.setItem('token', password);
  },
  async logout() {
    localStorage.removeItem('token');
  },
  async checkAuth() {
    if (localStorage.getItem('token') === null) throw new Error('ra.auth.auth_check_error');
  },
  async checkError({ status }) {
    if (status === 401) throw new Error('ra.auth.auth_check_error');
  },
};

const statuses = ['open', 'paid', 'sent'].map((id) => ({ id, name: id }));
const newestFirst = { field: 'createdAt', order: 'DESC' } as const;
const byName = { field: 'name', order: 'ASC' } as const;

/** The customers whose names contain what is typed, once it is long enough. */
const customerInput = (
  <ReferenceInput key="customerId" source="customerId" reference="customers" sort={byName}>
    <AutocompleteInput
      optionText="name"
      label="Customer"
      filterToQuery={(text: string) => (text.length < 2 ? {} : { name_contains: text })}
    />
  </ReferenceInput>
);

const orderFilters = [
  <TextInput key="number_prefix" source="number_prefix" label="Number begins with" alwaysOn />,
  <SelectInput key="status" source="status" choices={statuses} alwaysOn />,
  <TextInput key="total_gte" source="total_gte" label="Total from" />,
  customerInput,
];

const OrderColumns = () => (
  <DataTable bulkActionButtons={false}>
    <DataTable.Col source="number" />
    <DataTable.Col source="status" disableSort />
    <DataTable.Col source="total" />
    <DataTable.Col label="Customer" source="customerId" disableSort>
      <ReferenceField source="customerId" reference="customers" />
    </DataTable.Col>
    <DataTable.Col source="shipTo.city" label="City" disableSort />
    <DataTable.Col source="createdAt">
      <DateField source="createdAt" showTime />
    </DataTable.Col>
  </DataTable>
);

const OrderList = () => (
  <List filters={orderFilters} sort={newestFirst}>
    <OrderColumns />
  </List>
);

/**
 * `pessimistic`: the form waits for the answer, so that it can show errors at their fields. If somebody else has
 * changed the record meanwhile, it offers to show the record as it is now.
 */
const EditForm = ({ children }: { children: ReactElement }) => {
  const [conflict, setConflict] = useState<string>();
  const notify = useNotify();
  const refresh = useRefresh();
  const onError = (error: Error) => {
    const { status, body } = error instanceof HttpError ? error : {};
    if (status === 412) setConflict(error.message);
    else if (!body?.errors) notify(error.message, { type: 'error' }); // the form shows those of its fields
  };
  const reload = () => {
    setConflict(undefined);
    refresh();
  };
  return (
    <>
      <Edit mutationMode="pessimistic" mutationOptions={{ onError }}>
        {children}
      </Edit>
      <Confirm
        isOpen={conflict !== undefined}
        title="Somebody was faster"
        content={conflict}
        confirm="Reload"
        cancel="Back to the form"
        onConfirm={reload}
        onClose={() => setConflict(undefined)}
      />
    </>
  );
};

type Entry = readonly [key: string, value: string];
const toMap = (entries: readonly Entry[]): Record<string, string> => Object.fromEntries(entries.filter(([key]) => key !== ''));

/** A map of texts, with a row for each entry. */
const MapInput = ({ source, label }: { source: string; label: string }) => {
  const { field, fieldState } = useInput({ source });
  const [typed, setTyped] = useState<readonly Entry[]>([]);
  const map: Record<string, string> = field.value ?? {};
  const isTyped = JSON.stringify(toMap(typed)) === JSON.stringify(map); // else the form has got another record
  const entries = isTyped ? typed : Object.entries(map);
  const errors = (fieldState.error ?? {}) as Readonly<Record<string, { readonly message?: string }>>;
  const change = (next: readonly Entry[]) => {
    setTyped(next);
    field.onChange(toMap(next));
  };
  const replace = (at: number, entry: Entry) => change(entries.map((one, index) => (index === at ? entry : one)));
  return (
    <Stack spacing={1}>
      {entries.map(([key, value], index) => (
        <Stack key={String(index)} direction="row" spacing={1}>
          <TextBox label={`${label}: name`} value={key} onChange={({ target }) => replace(index, [target.value, value])} />
          <TextBox
            label={`${label}: ${key}`}
            value={value}
            error={errors[key] !== undefined}
            helperText={errors[key]?.message}
            onChange={({ target }) => replace(index, [key, target.value])}
          />
          <Button onClick={() => change(entries.filter((_, at) => at !== index))}>Remove</Button>
        </Stack>
      ))}
      <Button onClick={() => change([...entries, ['', '']])}>{`Add to ${label}`}</Button>
    </Stack>
  );
};

/** An array of objects, and a map. Both are sent as a whole: what was removed in the form is gone. */
const orderParts = [
  <ArrayInput key="lines" source="lines">
    <SimpleFormIterator inline>
      <TextInput source="product" />
      <NumberInput source="quantity" />
    </SimpleFormIterator>
  </ArrayInput>,
  <MapInput key="labels" source="labels" label="Labels" />,
];

/** A decimal is edited as text, which keeps its digits. */
const OrderEdit = () => (
  <EditForm>
    <SimpleForm>
      <TextField source="number" />
      <SelectInput source="status" choices={statuses} />
      <TextInput source="total" />
      {customerInput}
      <TextInput source="shipTo.street" label="Street" />
      <TextInput source="shipTo.city" label="City" />
      {orderParts}
    </SimpleForm>
  </EditForm>
);

const OrderCreate = () => (
  <Create redirect="list">
    <SimpleForm>
      <TextInput source="number" />
      <TextInput source="total" />
      {customerInput}
      <TextInput source="shipTo.street" label="Street" />
      <TextInput source="shipTo.city" label="City" />
      {orderParts}
    </SimpleForm>
  </Create>
);

const CustomerList = () => (
  <List filters={[<TextInput key="name_prefix" source="name_prefix" label="Name begins with" alwaysOn />]} sort={byName}>
    <DataTable>
      <DataTable.Col source="name" />
      <DataTable.Col source="email" disableSort />
    </DataTable>
  </List>
);

const CustomerEdit = () => (
  <EditForm>
    <SimpleForm>
      <TextInput source="name" />
      <TextInput source="email" />
      <ReferenceManyField reference="orders" target="customerId" sort={newestFirst} label="Orders">
        <OrderColumns />
      </ReferenceManyField>
    </SimpleForm>
  </EditForm>
);

const CustomerCreate = () => (
  <Create redirect="list">
    <SimpleForm>
      <TextInput source="name" />
      <TextInput source="email" />
    </SimpleForm>
  </Create>
);

const App = () => (
  <Admin dataProvider={provider} authProvider={authProvider} title="Shop" requireAuth disableTelemetry>
    <Resource name="orders" list={OrderList} edit={OrderEdit} create={OrderCreate} recordRepresentation="number" />
    <Resource name="customers" list={CustomerList} edit={CustomerEdit} create={CustomerCreate} recordRepresentation="name" />
  </Admin>
);

createRoot(document.getElementById('root') as HTMLElement).render(<App />);
