import { dataProvider } from 'koa-mongo-resource/react-admin';
import { AdminContext, AutocompleteInput, ReferenceInput, SimpleForm } from 'react-admin';
import { createRoot } from 'react-dom/client';

/** A city of the atlas, chosen by a part of its name. */
const CityForm = () => (
  <AdminContext dataProvider={dataProvider('/api')}>
    <SimpleForm toolbar={false}>
      <ReferenceInput source="city" reference="cities" sort={{ field: 'name', order: 'ASC' }}>
        <AutocompleteInput
          optionText="name"
          label="City"
          filterToQuery={(text: string) => (text.length < 2 ? {} : { name_contains: text })}
        />
      </ReferenceInput>
    </SimpleForm>
  </AdminContext>
);

const root = document.getElementById('root');
if (root) createRoot(root).render(<CityForm />);
