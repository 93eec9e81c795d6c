"""What `expected_answers.py` lets pass, and what it does not: `.ci/openapi expected`."""

import json
import unittest
from types import SimpleNamespace

import expected_answers


def is_failure(check, code, method="GET", path="/api/orders/1", headers=None, messages=(), status=400, body=None):
    errors = [{"message": message} for message in messages]
    content = json.dumps({"code": code, "errors": errors}).encode() if code else b""
    request = SimpleNamespace(method=method, url=f"http://localhost{path}", headers=headers or {}, body=body)
    response = SimpleNamespace(content=content, request=request, status_code=status)
    return expected_answers.filter_failure(None, SimpleNamespace(checks=[check]), None, response)


ACCEPTANCE = "positive_data_acceptance"


class ExpectedAnswers(unittest.TestCase):
    def test_412_of_an_invented_entity_tag(self):
        self.assertFalse(is_failure(ACCEPTANCE, "precondition_failed", "PATCH", headers={"If-Match": '"7"'}))
        self.assertFalse(is_failure(ACCEPTANCE, "precondition_failed", "PATCH", headers={"If-None-Match": "*"}))

    def test_not_412_of_a_request_without_one(self):
        self.assertTrue(is_failure(ACCEPTANCE, "precondition_failed", "PATCH"))
        self.assertTrue(is_failure(ACCEPTANCE, "precondition_failed", "PATCH", headers={"If-Match": " * "}))
        self.assertTrue(is_failure(ACCEPTANCE, "precondition_failed", "GET", headers={"If-None-Match": '"7"'}))

    def test_an_invented_cursor_and_no_other(self):
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_cursor", path="/api/orders?after=x"))
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_cursor", path="/api/orders?limit=1&before="))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_cursor", path="/api/orders?limit=1"))

    def test_an_invented_cursor_in_a_body(self):
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_cursor", "POST", path="/api/orders/query", body=b'{"after": "x"}'))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_cursor", "POST", path="/api/orders/query", body=b'{"limit": 1}'))

    def test_too_many_values_by_two_spellings_of_one_list(self):
        for one, other, message in [
            ("a%5Bin%5D", "a%5Bin%5D%5B%5D", "must have at most 500 values"),
            ("a", "a%5B%5D", "must have at most 20 items"),
        ]:
            self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", path=f"/api/orders?{one}=x&{other}=y", messages=[message]))
            self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", path=f"/api/orders?{one}=x,y", messages=[message]))
            self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", path=f"/api/orders?{other}=x&b=y", messages=[message]))

    def test_an_invented_filter(self):
        message = "is not a filter: at character 1 it ends, and a field was expected"
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", path="/api/orders?filter=", messages=[message]))

    def test_what_near_and_q_exclude_and_need(self):
        beside = [
            "cannot stand beside near: the nearest records are one page, nearest first",
            "cannot stand beside q: by relevance there is one page; give a sort",
            "cannot stand beside at: only the record itself has a history",
            "is not available without near",
            "is not available without group",
            "must have a word to look for",
            "must have at most 8 words and phrases",
        ]
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", path="/api/orders?near=8,47,1", messages=beside))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", messages=["must be longitude, latitude and metres, such as 8.54,47.37,10000"]))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", messages=[*beside, "must have at most 8 keys"]))

    def test_a_sort_of_groups_by_a_field_that_makes_none(self):
        message = "cannot sort by `createdAt[hour]`. Allowed: status, count"
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", path="/api/orders/aggregate?sort=createdAt[hour]", messages=[message]))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", path="/api/orders?sort=createdAt", messages=[message]))

    def test_fields_of_a_record_that_is_not_included(self):
        known = "cannot select `customer.name` without `include=customer`"
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", messages=[known]))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", messages=["cannot select `customer.name`. Allowed: id"]))

    def test_a_body_that_is_too_large_by_its_size_alone(self):
        self.assertFalse(is_failure("negative_data_rejection", "body_too_large", "POST", status=413, body=b"a" * 65_537))
        self.assertTrue(is_failure("negative_data_rejection", "body_too_large", "POST", status=413, body=b"a" * 65_536))

    def test_the_method_query_of_a_list_and_of_no_record(self):
        self.assertFalse(is_failure("unsupported_method", None, "QUERY", path="/api/orders?limit=1", status=200))
        self.assertTrue(is_failure("unsupported_method", None, "QUERY", path="/api/orders/1", status=200))
        self.assertTrue(is_failure("unsupported_method", None, "TRACE", path="/api/orders", status=200))

    def test_a_record_with_the_id_of_a_path_of_the_library(self):
        self.assertFalse(is_failure("unsupported_method", "not_found", "PATCH", path="/api/orders/query", status=404))
        self.assertFalse(is_failure("unsupported_method", "not_found", "PATCH", path="/api/orders/aggregate?count=true", status=404))
        self.assertTrue(is_failure("unsupported_method", "not_found", "PATCH", path="/api/orders/queries", status=404))

    def test_a_key_that_comes_again_and_no_other(self):
        self.assertFalse(is_failure(ACCEPTANCE, "idempotency_key_reused", "POST", headers={"Idempotency-Key": '"0"'}))
        self.assertTrue(is_failure(ACCEPTANCE, "idempotency_key_reused", "POST"))

    def test_a_missing_filter(self):
        message = "the query string must have a filter: one that some records do not match"
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", "PATCH", messages=[message]))

    def test_an_invented_reference(self):
        message = "must be the id of a record within your reach"
        self.assertFalse(is_failure(ACCEPTANCE, "validation_failed", "POST", messages=[message]))
        self.assertTrue(is_failure(ACCEPTANCE, "validation_failed", "POST", messages=[message, "must be a text"]))

    def test_428_where_if_match_is_missing(self):
        self.assertFalse(is_failure("missing_required_header", "precondition_required", "PATCH"))
        self.assertTrue(is_failure("missing_required_header", "precondition_required", "PATCH", headers={"If-Match": '"7"'}))

    def test_validation_only_where_every_message_is_expected(self):
        known = "is too deep: a page may skip 10,000 records"
        self.assertFalse(is_failure(ACCEPTANCE, "invalid_query", messages=[known]))
        self.assertTrue(is_failure(ACCEPTANCE, "invalid_query", messages=[known, "must be a number"]))
        self.assertTrue(is_failure(ACCEPTANCE, "validation_failed", messages=["must not hold an integer of more than 64 bits"]))
        self.assertTrue(is_failure(ACCEPTANCE, "validation_failed"))

    def test_no_answer_of_a_server_that_fails(self):
        self.assertTrue(is_failure("not_a_server_error", None, status=500))

    def test_what_node_refuses_by_itself(self):
        self.assertFalse(is_failure("content_type_conformance", None, headers={"If-None-Match": "\x06"}))
        self.assertTrue(is_failure("content_type_conformance", None, headers={"If-None-Match": "a"}))


if __name__ == "__main__":
    unittest.main()
