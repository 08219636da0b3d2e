// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract RecordingTest is TenantTest {
    function test_aMintedLotIsActiveAtItsCustodian() public {
        TenantLots.Output[] memory outputs = output(mill, 5_000_000);
        uint256 id = record(farm, none(), none(), outputs, 0);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, ACTIVE, "status");
        equal(lot.remaining, 5_000_000, "remaining");
        equal(lot.custodian, mill, "custodian");
        equal(lots.ownerOf(id), mill, "owner");
        equal(lots.balanceOf(mill), 1, "balance");
        equal(lots.tokenOfTlc(outputs[0].tlcHash), id, "code");
    }

    function test_idsAreSequentialAndEachCustodianIsCounted() public {
        TenantLots.Output[] memory outputs = new TenantLots.Output[](5);
        address[5] memory to = [farm, farm, mill, farm, shop];
        for (uint256 i; i < 5; ++i) {
            outputs[i] = output(to[i], 1)[0];
        }
        uint256 first = record(farm, none(), none(), outputs, 0);
        for (uint256 i; i < 5; ++i) {
            equal(lots.custodianOf(first + i), to[i], "custodian");
        }
        equal(lots.balanceOf(farm), 3, "farm");
        equal(lots.balanceOf(mill), 1, "mill");
        equal(lots.balanceOf(shop), 1, "shop");
        equal(lots.nextTokenId(), first + 5, "next id");
    }

    function test_aPartialUseLeavesTheRest() public {
        uint256 id = mint(farm, 1_000_000);
        use(farm, id, 400_000);
        equal(remaining(id), 600_000, "remaining");
        equal(status(id), ACTIVE, "status");
    }

    function test_aLotUsedToTheLastIsConsumed() public {
        uint256 byNumber = mint(farm, 1_000_000);
        use(farm, byNumber, 1_000_000);
        equal(status(byNumber), CONSUMED, "by its number");
        uint256 whole = mint(farm, 1_000_000);
        use(farm, whole, ALL);
        equal(status(whole), CONSUMED, "by ALL");
        equal(remaining(whole), 0, "remaining");
    }

    function test_moreThanRemainsIsRefused() public {
        uint256 id = mint(farm, 600_000);
        refuses(farm, useCall(id, 600_001), abi.encodeWithSelector(TenantLots.OverConsumption.selector, id, 600_000, 600_001));
        refuses(farm, useCall(id, ALL - 1), abi.encodeWithSelector(TenantLots.OverConsumption.selector, id, 600_000, ALL - 1));
    }

    function test_theLargestQuantityStaysInItsField() public {
        uint256 id = mint(farm, type(uint80).max);
        use(farm, id, 1);
        equal(remaining(id), uint256(type(uint80).max) - 1, "remaining");
        equal(lots.custodianOf(id), farm, "custodian");
        use(farm, id, ALL);
        equal(status(id), CONSUMED, "status");
    }

    function testFuzz_aQuantityBeyondItsFieldIsRefusedNotTruncated(uint256 quantity) public {
        bytes memory data = mintCall(output(farm, 7));
        uint256 position = data.length - 64; // the last words of the call: quantity, expiresAt
        assembly {
            mstore(add(add(data, 32), position), quantity)
        }
        vm.prank(farm);
        (bool ok,) = address(lots).call(data);
        require(ok == (quantity <= type(uint80).max), "80 bits");
    }

    function test_anUncountedLotIsUsedWholeOrNotAtAll() public {
        uint256 id = mint(farm, 0);
        refuses(farm, useCall(id, 1), abi.encodeWithSelector(TenantLots.Uncounted.selector, id));
        use(farm, id, ALL);
        equal(status(id), CONSUMED, "status");
    }

    function test_anObservationTakesNothingAndNeedsNoCustody() public {
        uint256 id = mint(farm, 10);
        observe(lab, id);
        equal(remaining(id), 10, "active");
        offer(farm, id, mill);
        observe(lab, id);
        equal(status(id), IN_TRANSIT, "in transit");
        uint256 box = pack(farm, mint(farm, 10));
        observe(lab, box - 1);
        equal(lots.ownerOf(box - 1), address(lots), "in a container");
        uint256 sold = mint(farm, 10);
        retire(farm, sold, ALL, SOLD);
        observe(lab, sold);
        equal(remaining(sold), 10, "retired");
    }

    function test_anObservationNeedsTheProcess() public {
        uint256 id = mint(farm, 10);
        refuses(outsider, useCall(id, 0), notAuthorized(outsider, PROCESS));
        allow(lab, PROCESS, false);
        refuses(lab, useCall(id, 0), notAuthorized(lab, PROCESS));
    }

    function test_aUseNeedsCustody() public {
        uint256 id = mint(farm, 10);
        refuses(mill, useCall(id, 1), notCustodian(id, mill));
        refuses(mill, packCall(id, mill), notCustodian(id, mill));
    }

    function test_anAdminCannotUseOrMoveLots() public {
        uint256 id = mint(farm, 10);
        refuses(admin, useCall(id, 1), notCustodian(id, admin));
        refuses(admin, offerCall(id, mill), notCustodian(id, admin));
        refuses(admin, retireCall(id, ALL, DESTROYED), notCustodian(id, admin));
        refuses(admin, transferCall(farm, admin, id), notCustodian(id, admin));
    }

    function test_aColleagueWithAnApprovalAndARoleActsForTheHolder() public {
        uint256 id = mint(farm, 10);
        approveAll(farm, outsider, true);
        refuses(outsider, useCall(id, 1), notAuthorized(outsider, PROCESS));
        grant(outsider, OPERATOR_ALL);
        use(outsider, id, 1);
        equal(remaining(id), 9, "used");
        equal(lots.custodianOf(pack(farm, id)), farm, "packed for the holder");
        approveAll(farm, outsider, false);
        uint256 other = mint(farm, 10);
        refuses(outsider, useCall(other, 1), notCustodian(other, outsider));
    }

    function test_inputsMayBeUsedAndObservedInOneEvent() public {
        uint256[] memory ids = new uint256[](3);
        for (uint256 i; i < 3; ++i) {
            ids[i] = mint(farm, 10);
        }
        uint256[] memory quantities = new uint256[](3);
        quantities[1] = 4;
        quantities[2] = ALL;
        uint256 made = record(farm, ids, quantities, output(farm, 14), 0);
        equal(remaining(ids[0]), 10, "observed");
        equal(remaining(ids[1]), 6, "used in part");
        equal(status(ids[2]), CONSUMED, "used up");
        equal(remaining(made), 14, "made");
    }

    function test_anInputGivenTwiceIsRefused() public {
        uint256 id = mint(farm, 10);
        refuses(farm, recordCall(two(id, id), two(5, 5), nothing(), 0), abi.encodeWithSelector(TenantLots.NotAscending.selector, id));
    }

    function test_aCodeIsTakenOnceEvenWithinAnEvent() public {
        TenantLots.Output[] memory twice = new TenantLots.Output[](2);
        twice[0] = output(farm, 1)[0];
        twice[1] = twice[0];
        uint256 first = lots.nextTokenId();
        refuses(farm, mintCall(twice), abi.encodeWithSelector(TenantLots.TlcTaken.selector, twice[0].tlcHash, first));
    }

    function test_anEventIdIsTakenOnceByWhateverRecordsIt() public {
        uint256 id = mint(farm, 10);
        TenantLots.EventRef memory e = withEvent();
        bytes memory taken = abi.encodeWithSelector(TenantLots.EventExists.selector, e.eventId);
        vm.prank(farm);
        lots.offerCustody(one(id), mill, e);
        TenantLots.Output[] memory outputs = output(farm, 1);
        bytes memory again = abi.encodeCall(TenantLots.recordEvent, (e.eventId, PROCESS, none(), none(), outputs, 0, "content"));
        refuses(farm, again, taken);
        refuses(mill, abi.encodeCall(TenantLots.acceptCustody, (1, one(id), e)), taken);
        refuses(farm, abi.encodeCall(TenantLots.amendEvent, (e.eventId, e)), taken);
    }

    function test_theCommitmentCoversTheEffects() public {
        uint256[] memory ids = two(mint(farm, 10), mint(farm, 0));
        TenantLots.Output[] memory outputs = output(mill, 6);
        TenantLots.Header memory header = recordWithHeader(farm, ids, two(ALL, ALL), outputs);
        bytes32 ins = keccak256(abi.encode(ids, two(10, ALL)));
        bytes32 outs = keccak256(abi.encode(outputs));
        bytes32 expected = keccak256(abi.encode(block.chainid, address(lots), header, ins, outs));
        equal(lots.eventCommitment(header.eventId), expected, "commitment");
    }

    function test_theLogsHaveTheWholeEvent() public {
        uint256 id = mint(farm, 10);
        TenantLots.Output[] memory outputs = output(mill, 6);
        vm.recordLogs();
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(ALL), outputs);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 3, "EventRecorded, Transfer, LotMinted");
        equal(logs[0].topics[0], TenantLots.EventRecorded.selector, "first");
        equal(logs[0].topics[1], header.eventId, "event id");
        equal(logs[0].topics[2], PROCESS, "process");
        equal(logs[0].topics[3], bytes32(uint256(uint160(farm))), "actor");
        bytes memory data = abi.encode(bytes32("content"), uint8(0), one(id), one(10), header.firstOutputId, uint256(1));
        equal(keccak256(logs[0].data), keccak256(data), "what it did");
        equal(logs[2].topics[0], TenantLots.LotMinted.selector, "third");
        equal(logs[2].topics[1], bytes32(header.firstOutputId), "token id");
        equal(logs[2].topics[2], header.eventId, "by the event");
        equal(logs[2].topics[3], outputs[0].tlcHash, "code");
        equal(keccak256(logs[2].data), keccak256(abi.encode(mill, uint256(6), bytes32("rice"), uint256(0))), "the lot");
    }
}
