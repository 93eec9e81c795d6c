import { dataProvider } from 'koa-mongo-resource/react-admin';
import {
  Admin,
  type AuthProvider,
  AutocompleteInput,
  Create,
  DataTable,
  DateField,
  Edit,
  List,
  ReferenceField,
  ReferenceInput,
  ReferenceManyField,
  Resource,
  SelectInput,
  SimpleForm,
  TextField,
  TextInput,
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

/** The customers whose names begin with what is typed. */
const customerInput = (
  <ReferenceInput key="customerId" source="customerId" reference="customers" sort={byName}>
    <AutocompleteInput optionText="name" label="Customer" filterToQuery={(text: string) => (text === '' ? {} : { name_prefix: text })} />
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
 * `pessimistic`: the form waits for the answer, so that it can show errors at their fields. A decimal is edited as
 * text, which keeps its digits.
 */
const OrderEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>
      <TextField source="number" />
      <SelectInput source="status" choices={statuses} />
      <TextInput source="total" />
      {customerInput}
      <TextInput source="shipTo.street" label="Street" />
      <TextInput source="shipTo.city" label="City" />
    </SimpleForm>
  </Edit>
);

const OrderCreate = () => (
  <Create redirect="list">
    <SimpleForm>
      <TextInput source="number" />
      <TextInput source="total" />
      {customerInput}
      <TextInput source="shipTo.street" label="Street" />
      <TextInput source="shipTo.city" label="City" />
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
  <Edit mutationMode="pessimistic">
    <SimpleForm>
      <TextInput source="name" />
      <TextInput source="email" />
      <ReferenceManyField reference="orders" target="customerId" sort={newestFirst} label="Orders">
        <OrderColumns />
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
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
